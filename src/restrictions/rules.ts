import { transaction, type Transaction } from '../adapters/postgres/connection';
import { apart, openTransaction } from '../adapters/postgres/requestWork';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { InvalidatingCache } from '../kit/invalidatingCache';
import { lockRules, readRestrictions } from './restrictions.model';
import { arrangeRules, type MerchantRules } from './evaluate';
import { areWeaker } from './weakening';

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

type Confirmation = (caller: Caller, inTransaction: Transaction) => Promise<void>;
let confirm: Confirmation = () => Promise.reject(new Error('nobody asks for a confirmation of weaker rules'));

/** Registers the function that asks for a confirmation of weaker rules. */
export function onWeakerRules(ask: Confirmation): void {
  confirm = ask;
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
 * may depend on the result, such as the id of a new set. Weaker rules need a recent confirmation: without one, the rules
 * are compared. One change of a merchant waits for another, so that the compared rules are the stored ones.
 */
export async function changeRules<T>(
  caller: Caller,
  change: RuleChange | ((result: T) => RuleChange),
  work: (inTransaction: Transaction) => Promise<T>,
): Promise<T> {
  const { merchantId } = caller;
  const changed = await transaction(async (inTransaction) => {
    await lockRules(inTransaction, merchantId);
    const read = () => readRestrictions(merchantId, inTransaction).then(arrangeRules);
    const refusal = await findRefusal(caller, inTransaction);
    const before = refusal && (await read());
    const result = await work(inTransaction);
    if (before && areWeaker(await read(), before)) throw refusal;
    await audit(inTransaction, caller, typeof change === 'function' ? change(result) : change);
    return result;
  });
  forgetRestrictions(merchantId);
  return changed;
}

/** The error that asks for a confirmation. Undefined if the caller has confirmed recently, or is not asked. */
async function findRefusal(caller: Caller, inTransaction: Transaction): Promise<AppError | undefined> {
  try {
    await confirm(caller, inTransaction);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
