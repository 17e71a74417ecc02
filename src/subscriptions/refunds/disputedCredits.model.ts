import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

const creditedStatement = statement<{ id: number }>(
  'credited_charges',
  `SELECT c.id FROM charges c WHERE c.account_id = $1 AND c.currency = $2 AND c.credited_minor > 0
     AND EXISTS (SELECT FROM charges o WHERE o.id = $3 AND o.balance_minor > 0)
   ORDER BY c.id`,
);

/** The customer's charges with a credit, oldest first. None if the open charge uses no credit. */
export async function listCreditedCharges(
  { id, accountId, currency }: { id: number; accountId: number; currency: string },
  inTransaction: Transaction,
): Promise<number[]> {
  return (await creditedStatement([accountId, currency, id], inTransaction)).map((row) => row.id);
}

// The provider reports times in whole seconds.
const disputedStatement = statement<{ chargeId: number; reference: string }>(
  'credited_charges_disputed',
  `SELECT DISTINCT ON (d.charge_id) d.charge_id AS "chargeId", d.reference
   FROM disputes d JOIN charges o ON o.id = $2 AND d.opened_at >= date_trunc('second', o.opened_at)
   WHERE d.charge_id = ANY($1::int[]) AND NOT d.is_won ORDER BY d.charge_id, d.id`,
);

/**
 * The charges that were disputed after the open charge was opened, each with the reference of its dispute. An earlier
 * dispute has taken the credit back already, because no open charge used it.
 */
export const listDisputedCharges = (ids: readonly number[], openChargeId: number, inTransaction: Transaction) =>
  disputedStatement([ids, openChargeId], inTransaction);
