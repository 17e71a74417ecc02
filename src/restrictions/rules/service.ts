import { LRUCache } from 'lru-cache';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { readRestrictions } from '../model';
import { arrangeRules, type MerchantRules } from '../verdicts/service';

// Rules change seldom and are asked at every playback. A change drops a merchant's from every replica's memory by NOTIFY;
// what a lost NOTIFY leaves behind ends after a minute. A reading is remembered from its start, so that a change that
// comes while it runs drops it too.
const rulesOfMerchants = new LRUCache<number, Promise<MerchantRules>>({
  max: 2_000,
  ttl: 60_000,
  ttlResolution: 1_000,
});

/** Everything that a merchant restricts, from memory. */
export function getRules(merchantId: number): Promise<MerchantRules> {
  const known = rulesOfMerchants.get(merchantId);
  if (known) return known;
  const reading = readRestrictions(merchantId).then(arrangeRules);
  rulesOfMerchants.set(merchantId, reading);
  reading.catch(() => {
    if (rulesOfMerchants.peek(merchantId) === reading) rulesOfMerchants.delete(merchantId);
  });
  return reading;
}

/** Drops a merchant's rules from this replica's memory: some replica has changed them. */
export function forgetRestrictions(merchantId: number): void {
  rulesOfMerchants.delete(merchantId);
}

export function forgetAllRestrictions(): void {
  rulesOfMerchants.clear();
}

export interface RuleChange {
  /** What the audit log says was done. */
  action: `restriction.${string}`;
  objectType: 'merchant' | 'item' | 'country_set' | 'geo_set';
  objectId?: number;
}

/** Changes a merchant's rules in one transaction, with what the audit log keeps of it; they hold here from its end on. */
export async function changeRules<T>(
  caller: Caller,
  change: RuleChange,
  work: (inTransaction: Transaction) => Promise<T>,
): Promise<T> {
  const changed = await transaction(async (inTransaction) => {
    const result = await work(inTransaction);
    const { action, objectType, objectId = caller.merchantId } = change;
    await writeAudit(inTransaction, { ...actorOf(caller), action, objectType, objectId });
    return result;
  });
  forgetRestrictions(caller.merchantId);
  return changed;
}
