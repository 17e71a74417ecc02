import { transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { actorOf, writeAudit } from '../audit/service';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { FeatureFlag } from './model';
import { presentFeature } from './presenter';

/** What an app asks about before it shows something; on, until the merchant turns it off. */
const builtIn = ['external_partner', 'favorites', 'gifts', 'profiles', 'social_login', 'vouchers', 'watch_history'];
const ownMax = 100;

/** The flags of the caller's merchant, its own ones included, by name. */
export async function listFeatures(caller: Caller) {
  const set = await FeatureFlag.findAll({ where: { merchantId: caller.merchantId } });
  const flags = new Map(builtIn.map((name) => [name, { name, enabled: true }]));
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
    const isNew = !builtIn.includes(name) && !others.some((flag) => flag.name === name);
    if (isNew && others.length >= ownMax)
      throw new AppError('invalid_input', { errors: { name: `The name must be one of at most ${ownMax} flags.` } });
    await FeatureFlag.upsert({ merchantId, name, enabled, updatedAt: new Date() }, { transaction: inTransaction });
    const action = enabled ? 'feature.enable' : 'feature.disable';
    await writeAudit(inTransaction, { ...actorOf(caller), action, objectType: 'feature', objectId: name });
    return { name, enabled };
  });
}
