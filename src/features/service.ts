import { transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { actorOf, writeAudit } from '../audit/service';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { type MerchantName } from '../kit/features';
import { FeatureFlag, selectOff, selectWithout } from './model';
import { presentFeature } from './presenter';

/** What can be turned off, and is a part of the service: the declarations of endpoints and pages name them. */
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

/** What a merchant has turned off; nothing where there is no such merchant. */
export async function listFeaturesOff(merchant: MerchantName): Promise<ReadonlySet<string>> {
  const merchantId = 'id' in merchant ? merchant.id : null;
  const rows = await selectOff(merchantId, 'uuid' in merchant ? merchant.uuid : null);
  return new Set(rows.map(({ name }) => name));
}

/** For what knows its merchant better than the path of a request does. Throws `feature_disabled`. */
export async function requireFeature(merchantId: number, name: BuiltIn): Promise<void> {
  if (await isFeatureOff(merchantId, name)) throw new AppError('feature_disabled');
}

export async function isFeatureOff(merchantId: number, name: BuiltIn): Promise<boolean> {
  return (await listFeaturesOff({ id: merchantId })).has(name);
}

/** Those of the merchants that have turned it off. */
export async function listMerchantsWithout(name: BuiltIn, merchantIds: readonly number[]): Promise<number[]> {
  const rows = await selectWithout([name, merchantIds]);
  return rows.map(({ merchant_id: merchantId }) => merchantId);
}

/** The flags of the caller's merchant, its own ones included, by name. */
export async function listFeatures(caller: Caller) {
  const set = await FeatureFlag.findAll({ where: { merchantId: caller.merchantId } });
  const flags = new Map(builtIn.map((name): [string, Flag] => [name, { name, enabled: true }]));
  for (const flag of set) flags.set(flag.name, presentFeature(flag));
  return [...flags.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Turns a flag on or off. A new name is a flag of the merchant's own, for its apps to read. */
export async function setFeature(caller: Caller, name: string, enabled: boolean) {
  const { merchantId } = caller;
  return transaction(async (inTransaction) => {
    // One at a time, so that two new names cannot both be the last one that fits.
    await execute(inTransaction, 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
    const others = await FeatureFlag.findAll({ where: { merchantId }, transaction: inTransaction });
    const isNew = !isBuiltIn(name) && !others.some((flag) => flag.name === name);
    if (isNew && others.length >= ownMax)
      throw new AppError('invalid_input', { errors: { name: `The name must be one of at most ${ownMax} flags.` } });
    await FeatureFlag.upsert({ merchantId, name, enabled, updatedAt: new Date() }, { transaction: inTransaction });
    const action = enabled ? 'feature.enable' : 'feature.disable';
    await writeAudit(inTransaction, { ...actorOf(caller), action, objectType: 'feature', objectId: name });
    return { name, enabled };
  });
}
