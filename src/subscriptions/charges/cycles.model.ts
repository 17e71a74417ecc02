import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { taxColumns, type JoinedTax } from '../../tax/chargeTaxes.model';
import { type Subscription } from '../subscriptions.model';
import { type Charge } from './charges.model';

export interface PaidCharge extends JoinedTax {
  id: number;
  trxToken: string;
  amountMinor: number;
  /** The due amount before the balance was subtracted. */
  dueMinor: number;
  /** The part of the due amount that the balance paid. Negative: the debt that is included in the amount. */
  balanceMinor: number;
  /** The part by which its period counts as unpaid, because money has gone back to the payer. */
  lostMinor: number;
  settledAt: Date | null;
  attempt: number;
}

const lostColumn = `(SELECT coalesce(sum(l.unpaid_minor), 0) FROM credit_losses l WHERE l.charge_id = c.id)::bigint AS "lostMinor"`;

const paidStatement = statement<PaidCharge>(
  'charge_paid',
  `SELECT id, trx_token AS "trxToken", amount_minor AS "amountMinor", amount_minor + balance_minor AS "dueMinor", balance_minor AS "balanceMinor",
     ${lostColumn},
     settled_at AS "settledAt", attempt, ${taxColumns}
   FROM charges c LEFT JOIN charge_taxes t ON t.charge_id = c.id WHERE subscription_id = $1 AND cycle = $2 AND status = 'paid' AND reversed_at IS NULL`,
);

/** Undefined if there was nothing to charge. */
export async function findPaidCharge(subscriptionId: number, cycle: number, inTransaction: Transaction) {
  const [charge] = await paidStatement([subscriptionId, cycle], inTransaction);
  return charge;
}

const fundingStatement = statement<PaidCharge & { isProcessing: boolean }>(
  'charge_funding',
  `SELECT id, trx_token AS "trxToken", amount_minor AS "amountMinor", amount_minor + balance_minor AS "dueMinor", balance_minor AS "balanceMinor",
     ${lostColumn},
     settled_at AS "settledAt", attempt, status = 'processing' AS "isProcessing", ${taxColumns}
   FROM charges c LEFT JOIN charge_taxes t ON t.charge_id = c.id WHERE subscription_id = $1 AND cycle = $2 AND status IN ('paid', 'processing') AND reversed_at IS NULL`,
);

/** The charge that funds a cycle: a paid one, or a direct debit whose money has not arrived yet. */
export async function getFundingCharge(subscriptionId: number, cycle: number, inTransaction: Transaction) {
  const [charge] = await fundingStatement([subscriptionId, cycle], inTransaction);
  if (!charge) throw new Error(`subscription ${subscriptionId} has no charge of cycle ${cycle} that pays`);
  return charge;
}

export async function getPaidCharge(subscriptionId: number, cycle: number, inTransaction: Transaction) {
  const charge = await findPaidCharge(subscriptionId, cycle, inTransaction);
  if (!charge) throw new Error(`subscription ${subscriptionId} has no paid charge of cycle ${cycle}`);
  return charge;
}

const reverseStatement = statement('charge_reverse', 'UPDATE charges SET reversed_at = $2 WHERE id = $1');

/** The payer's bank has taken a paid charge back, so its cycle can be paid again. The charge stays in the books. */
export async function reverseCharge(id: number, at: Date, inTransaction: Transaction): Promise<void> {
  await reverseStatement([id, at], inTransaction);
}

type ChargedRow = Pick<Subscription, 'id' | 'cycle' | 'attempt' | 'collectsAt' | 'pastDueAt'>;

const openChargeStatement = statement<Pick<Charge, 'cycle' | 'attempt' | 'amountMinor'> & { createdAt: Date }>(
  'charge_not_accounted_for',
  `SELECT cycle, attempt, amount_minor AS "amountMinor", created_at AS "createdAt" FROM charges
   WHERE subscription_id = $1 AND recorded_at IS NULL AND ((cycle, attempt) > ($2, $3)
     OR (cycle, attempt) = ($2, $3) AND NOT $4 AND (status = 'requires_action' OR $5 AND status = 'paid' AND reversed_at IS NULL))
   ORDER BY cycle DESC, attempt DESC LIMIT 1`,
);

/**
 * The latest charge that waits for the payer, or that the subscription's row does not reflect yet. For an overdue row, this
 * can be a paid charge: a run can be lost after it finds the charge paid and before it records the renewal.
 */
export async function findOpenCharge(
  { id, cycle, attempt, collectsAt, pastDueAt }: ChargedRow,
  inTransaction: Transaction,
) {
  const isCollected = collectsAt !== null;
  const [charge] = await openChargeStatement([id, cycle, attempt, isCollected, pastDueAt !== null], inTransaction);
  return charge;
}

/** The money of a charge that can still become credit. Disputed money is no credit. */
export const creditRoom = `(c.amount_minor - c.refunded_minor - c.credited_minor
  - coalesce((SELECT sum(CASE WHEN d.currency = c.currency THEN d.amount_minor ELSE c.amount_minor END)
    FROM disputes d WHERE d.charge_id = c.id AND NOT d.is_won), 0)::bigint)`;

const creditStatement = statement<{ id: number; creditedMinor: number }>(
  'charge_credit',
  `WITH running AS (
     SELECT c.id, c.cycle, c.attempt, ${creditRoom} AS room
     FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
     WHERE c.subscription_id = $1 AND c.status = 'paid' AND c.reversed_at IS NULL AND NOT c.is_unused
       AND c.settled_at >= s.funded_from
   ),
   shares AS (
     SELECT id, least(room, $2::bigint - (sum(room) OVER (ORDER BY cycle DESC, attempt DESC) - room)) AS share
     FROM running WHERE room > 0
   )
   UPDATE charges c SET credited_minor = c.credited_minor + w.share FROM shares w WHERE c.id = w.id AND w.share > 0
   RETURNING c.id, w.share AS "creditedMinor"`,
);

/**
 * Divides a credit among the charges that paid for the running period, the latest first. The part that the balance had
 * paid belongs to no charge.
 */
export function creditFromCharges(subscriptionId: number, creditMinor: number, inTransaction: Transaction) {
  return creditStatement([subscriptionId, creditMinor], inTransaction);
}
