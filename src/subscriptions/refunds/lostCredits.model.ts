import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { lostBy } from './losses.model';

const creditedStatement = statement<{ id: number }>(
  'credited_charges',
  `SELECT c.id FROM charges c WHERE c.account_id = $1 AND c.currency = $2
     AND (c.credited_minor > 0 OR EXISTS (SELECT FROM refunds r WHERE r.charge_id = c.id AND r.excess_minor > 0))
     AND EXISTS (SELECT FROM charges o WHERE o.id = $3 AND o.balance_minor > 0)
   ORDER BY c.id`,
);

/**
 * The customer's charges with a credit, or with a credit that was refunded while it was in use, oldest first. None if the open
 * charge uses no credit.
 */
export async function listCreditedCharges(
  { id, accountId, currency }: { id: number; accountId: number; currency: string },
  inTransaction: Transaction,
): Promise<number[]> {
  return (await creditedStatement([accountId, currency, id], inTransaction)).map((row) => row.id);
}

/** A dispute, and what it has changed so far. */
export interface StandingDispute {
  chargeId: number;
  reference: string;
  /** The disputed money that is still there. */
  disputedMinor: number;
  /** What the period of the disputed charge has lost. */
  loweredMinor: number;
  /** What other periods have lost, because they use its credit. */
  lostMinor: number;
  /** The credit that was taken back. */
  takenMinor: number;
}

const takenOf = (chargeId: string, reference: string) => `(SELECT 0 - coalesce(sum(m.amount_minor), 0)
  FROM balance_movements m WHERE m.charge_id = ${chargeId} AND m.reason IN ('dispute', 'dispute_won')
    AND dispute_of(m.cause) = ${chargeId} || ':' || ${reference})::bigint`;

const disputeColumns = `d.charge_id AS "chargeId", d.reference,
  least(CASE WHEN d.currency = c.currency THEN d.amount_minor ELSE c.amount_minor END,
    c.amount_minor - c.refunded_minor) AS "disputedMinor",
  ${lostBy('dispute_id = d.id', 'own')} AS "loweredMinor", ${lostBy('dispute_id = d.id', 'balance')} AS "lostMinor",
  ${takenOf('d.charge_id', 'd.reference')} AS "takenMinor"
  FROM disputes d JOIN charges c ON c.id = d.charge_id`;

const disputeStatement = statement<StandingDispute>('dispute_so_far', `SELECT ${disputeColumns} WHERE d.id = $1`);

export async function readDispute(id: number, inTransaction: Transaction): Promise<StandingDispute> {
  const [dispute] = await disputeStatement([id], inTransaction);
  if (!dispute) throw new Error(`there is no dispute ${id}`);
  return dispute;
}

// The provider reports times in whole seconds. The time is read first, because behind the policies PostgreSQL uses no index for
// a condition with a function.
const disputedStatement = statement<StandingDispute>(
  'credited_charges_disputed',
  `WITH o AS MATERIALIZED (
     SELECT date_trunc('second', opened_at) AS since FROM charges WHERE id = $2
   )
   SELECT ${disputeColumns}
     JOIN o ON d.opened_at >= o.since
   WHERE d.charge_id = ANY($1::int[]) AND NOT d.is_won ORDER BY d.charge_id, d.id`,
);

/**
 * The disputes since the open charge was opened, by their charges. An earlier dispute has taken the credit back already,
 * because no open charge used it.
 */
export const listDisputes = (ids: readonly number[], openChargeId: number, inTransaction: Transaction) =>
  disputedStatement([ids, openChargeId], inTransaction);

const disputeTakenStatement = statement<{ takenMinor: number }>(
  'dispute_credit_taken',
  `SELECT ${takenOf('$1::int', '$2::text')} AS "takenMinor"`,
);

/** The credit of a charge that a dispute has taken back. */
export async function readDisputeTaken(
  chargeId: number,
  reference: string,
  inTransaction: Transaction,
): Promise<number> {
  const [row] = await disputeTakenStatement([chargeId, reference], inTransaction);
  return row?.takenMinor ?? 0;
}

/** A refund that paid out credit which was in use. `leftMinor`: the part that was not taken back or lost elsewhere yet. */
export interface RefundExcess {
  id: number;
  token: string;
  chargeId: number;
  accountId: number;
  currency: string;
  leftMinor: number;
}

const taken = `(SELECT 0 - coalesce(sum(m.amount_minor), 0) FROM balance_movements m
  WHERE m.refund_id = r.id AND m.charge_id = r.charge_id AND m.reason = 'refund_credit')::bigint`;

// `lossOfRefund`, less what other periods have lost already.
const left = `(least(r.excess_minor, r.amount_minor - r.credit_minor - ${lostBy('refund_id = r.id', 'own')}) - ${taken}
  - ${lostBy('refund_id = r.id', 'balance')})::bigint`;

const excessStatement = statement<RefundExcess>(
  'refunds_excess',
  `SELECT r.id, r.token, r.charge_id AS "chargeId", r.account_id AS "accountId", r.currency, ${left} AS "leftMinor"
   FROM refunds r JOIN charges o ON o.id = $2 AND r.created_at >= o.opened_at
   WHERE r.charge_id = ANY($1::int[]) AND r.excess_minor > 0 AND r.state <> 'failed' AND ${left} > 0 ORDER BY r.id`,
);

/** The refunds that the provider reported after the open charge was opened, while it used their credit. */
export const listExcesses = (ids: readonly number[], openChargeId: number, inTransaction: Transaction) =>
  excessStatement([ids, openChargeId], inTransaction);

const takenStatement = statement<{ takenMinor: number }>(
  'refund_excess_taken',
  `SELECT ${taken} AS "takenMinor" FROM refunds r WHERE r.id = $1`,
);

/** The part of the excess that was taken from the balance. */
export async function readExcessTaken(refundId: number, inTransaction: Transaction): Promise<number> {
  const [row] = await takenStatement([refundId], inTransaction);
  return row?.takenMinor ?? 0;
}
