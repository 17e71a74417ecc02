import { bigint, boolean, defaulted, modelOf, nullable, text, time } from '../../adapters/postgres/columns';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type WhenOwned } from '../../items/accessFees/accessFees.model';
import { purchaseColumns } from '../purchases.model';

export type PaymentState = 'incomplete' | 'paid' | 'failed';

/** A one-time payment. After the insert, only its workflow writes `state`. */
export class Payment extends modelOf({
  ...purchaseColumns(),
  state: text<PaymentState>(),
  /** `subscription`: a gift of the first period. */
  accessType: text<'ppv' | 'ppv_custom' | 'subscription'>(),
  /** The fee's fixed end date, for `ppv_custom`. */
  accessEndsAt: nullable(time()),
  /** The fee's rule for a buyer who already has access. Null if the new access follows access to the same item. */
  whenOwned: nullable(text<WhenOwned>()),
  setupFeeMinor: bigint(),
  /** The due amount before the customer's balance: the discounted price and the setup fee. */
  chargedMinor: bigint(),
  isGift: defaulted(boolean()),
  receiverEmail: nullable(text()),
  /** The day on which a gift is mailed. Null if it is mailed immediately. */
  deliverOn: nullable(time()),
  paidAt: nullable(time()),
  /** The time when a direct debit gave access before its money arrived. */
  openedAt: nullable(time()),
}) {}
Payment.init(Payment.columns, { sequelize, tableName: 'payments' });

/**
 * Two equal submissions within this time are one: a double click, or a retry after a lost answer. This does not apply
 * to a submission with an Idempotency-Key.
 */
const sameWithinSeconds = 10;

const lockStatement = statement('payment_lock', 'SELECT pg_advisory_xact_lock($1, $2)');
const sameStatement = statement<{ id: number; token: string; state: PaymentState }>(
  'payment_same',
  `SELECT id, token, state FROM payments
   WHERE account_id = $1 AND access_fee_id = $2 AND receiver_email IS NOT DISTINCT FROM $3
     AND (state = 'incomplete' OR state = 'paid' AND NOT $4 AND updated_at > now() - interval '${sameWithinSeconds} seconds')
   ORDER BY id DESC LIMIT 1`,
);

/**
 * Finds the payment that a submission repeats: one of the same account, fee and receiver that has no outcome yet or was
 * paid a moment ago. Equal submissions wait for each other until the commit.
 */
export async function findSamePayment(
  accountId: number,
  order: { fee: { id: number }; receiverEmail: string | null; hasKey: boolean },
  inTransaction: Transaction,
) {
  const { fee, receiverEmail, hasKey } = order;
  await lockStatement([accountId, fee.id], inTransaction);
  const [same] = await sameStatement([accountId, fee.id, receiverEmail, hasKey], inTransaction);
  return same;
}

const waitingStatement = statement<{ id: number; token: string }>(
  'payment_waiting',
  `SELECT p.id, p.token FROM payments p JOIN charges c ON c.payment_id = p.id
   WHERE p.account_id = $1 AND p.access_fee_id = $2 AND p.receiver_email IS NOT DISTINCT FROM $3
     AND p.state = 'incomplete' AND c.status = 'requires_action'
     AND p.created_at <= now() - interval '${sameWithinSeconds} seconds'`,
);

/** An equal payment that still waits for its payer, and is too old to be a double click. */
export async function findWaitingPayment(
  accountId: number,
  { fee, receiverEmail }: { fee: { id: number }; receiverEmail: string | null },
) {
  const [waiting] = await waitingStatement([accountId, fee.id, receiverEmail]);
  return waiting;
}
