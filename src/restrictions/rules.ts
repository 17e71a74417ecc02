import { transaction, type Transaction } from '../adapters/postgres/connection';
import { apart, openTransaction } from '../adapters/postgres/requestWork';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { InvalidatingCache } from '../kit/invalidatingCache';
import { readRestrictions } from './restrictions.model';
import { arrangeRules, type MerchantRules } from './evaluate';

const readRules = (merchantId: number) => readRestrictions(merchantId).then(arrangeRules);
const rulesOfMerchants = new InvalidatingCache((merchantId) => apart(() => readRules(merchantId)), {
  max: 2_000,
});

/** The merchant's rules, from memory. */
export function getRules(merchantId: number): MerchantRules | Promise<MerchantRules> {
  // Inside a transaction the rules are read from the database: uncommitted rules must not enter the shared memory.
  return openTransaction() ? readRules(merchantId) : rulesOfMerchants.get(merchantId);
}

/** Drops a merchant's rules from this replica's memory, because a replica has changed them. */
export function forgetRestrictions(merchantId: number): void {
  rulesOfMerchants.forget(merchantId);
}

export function forgetAllRestrictions(): void {
  rulesOfMerchants.forgetAll();
}

/** The change in the audit log. */
export interface RuleChange {
  action: `restriction.${string}`;
  object: readonly ['merchant' | 'item' | 'country_set' | 'geo_set', number];
}

/** The object of a rule for one item, or for all items of the merchant (`itemId` null). */
export function subjectOf({ merchantId }: Caller, itemId: number | null): RuleChange['object'] {
  return itemId === null ? ['merchant', merchantId] : ['item', itemId];
}

/**
 * Changes a merchant's rules in one transaction with their audit entry. This replica uses them from the commit on. `change`
 * may depend on the result, such as the id of a new set.
 */
export async function changeRules<T>(
  caller: Caller,
  change: RuleChange | ((result: T) => RuleChange),
  work: (inTransaction: Transaction) => Promise<T>,
): Promise<T> {
  const changed = await transaction(async (inTransaction) => {
    const result = await work(inTransaction);
    await audit(inTransaction, caller, typeof change === 'function' ? change(result) : change);
    return result;
  });
  forgetRestrictions(caller.merchantId);
  return changed;
}
