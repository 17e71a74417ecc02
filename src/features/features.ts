import { transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { type MerchantName } from '../kit/features';
import { FeatureFlag, selectOff, selectWithout } from './features.model';
import { presentFeature } from './features.presenter';

/** The flags of the service's own features. Declarations of endpoints and pages name them. */
export const builtIn = [
  'analytics',
  'app_stores',
  'external_partner',
  'favorites',
  'gifts',
  'profiles',
  'push',
  'scheduled_reports',
  'social_login',
  'vouchers',
  'watch_history',
  'webhooks',
] as const;
export type BuiltIn = (typeof builtIn)[number];
const ownMax = 100;

type Flag = ReturnType<typeof presentFeature>;
const isBuiltIn = (name: string) => (builtIn as readonly string[]).includes(name);

/** The features that a merchant has turned off; empty for an unknown merchant. */
export async function listFeaturesOff(merchant: MerchantName): Promise<ReadonlySet<string>> {
  const merchantId = 'id' in merchant ? merchant.id : null;
  const rows = await selectOff(merchantId, 'uuid' in merchant ? merchant.uuid : null);
  return new Set(rows.map(({ name }) => name));
}

/** For callers that know the merchant when the path of the request does not name it. Throws `feature_disabled`. */
export async function requireFeature(merchantId: number, name: BuiltIn): Promise<void> {
  if (await isFeatureOff(merchantId, name)) throw new AppError('feature_disabled');
}

export async function isFeatureOff(merchantId: number, name: BuiltIn): Promise<boolean> {
  return (await listFeaturesOff({ id: merchantId })).has(name);
}

/** The given merchants that have turned the feature off. */
export async function listMerchantsWithout(name: BuiltIn, merchantIds: readonly number[]): Promise<number[]> {
  const rows = await selectWithout([name, merchantIds]);
  return rows.map(({ merchant_id: merchantId }) => merchantId);
}

/** The flags of the caller's merchant by name, including its own flags. */
export async function listFeatures(caller: Caller) {
  const set = await FeatureFlag.findAll({ where: { merchantId: caller.merchantId } });
  const flags = new Map(builtIn.map((name): [string, Flag] => [name, { name, enabled: true }]));
  for (const flag of set) flags.set(flag.name, presentFeature(flag));
  return [...flags.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Turns a flag on or off. An unknown name creates a flag of the merchant's own, which its apps can read. */
export async function setFeature(caller: Caller, name: string, enabled: boolean) {
  const { merchantId } = caller;
  return transaction(async (inTransaction) => {
    // Serialised, so that two concurrent new flags cannot exceed the limit.
    await execute(inTransaction, 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
    const others = await FeatureFlag.findAll({ where: { merchantId }, transaction: inTransaction });
    const isNew = !isBuiltIn(name) && !others.some((flag) => flag.name === name);
    if (isNew && others.length >= ownMax)
      throw new AppError('invalid_input', { errors: { name: `The name must be one of at most ${ownMax} flags.` } });
    await FeatureFlag.upsert({ merchantId, name, enabled, updatedAt: new Date() }, { transaction: inTransaction });
    const action = enabled ? 'feature.enable' : 'feature.disable';
    await audit(inTransaction, caller, { action, object: ['feature', name] });
    return { name, enabled };
  });
}
