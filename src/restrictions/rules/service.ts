import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { Remembered } from '../../kit/remembered';
import { readRestrictions } from '../model';
import { arrangeRules, type MerchantRules } from '../verdicts/service';

const rulesOfMerchants = new Remembered((merchantId) => readRestrictions(merchantId).then(arrangeRules), {
  max: 2_000,
});

/** Everything that a merchant restricts, from memory. */
export function getRules(merchantId: number): MerchantRules | Promise<MerchantRules> {
  return rulesOfMerchants.get(merchantId);
}

/** Drops a merchant's rules from this replica's memory: some replica has changed them. */
export function forgetRestrictions(merchantId: number): void {
  rulesOfMerchants.forget(merchantId);
}

export function forgetAllRestrictions(): void {
  rulesOfMerchants.forgetAll();
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
