import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

// A reversal follows its refund, so it wins if both have the same time.
const keepStatement = statement<{ isNew: boolean }>(
  'store_refund_keep',
  `INSERT INTO store_refunds AS r (store, transaction_id, original_id, refunded_at, is_reversed, told_at)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (store, transaction_id) DO UPDATE SET is_reversed = excluded.is_reversed, told_at = excluded.told_at,
     refunded_at = excluded.refunded_at
   WHERE (r.told_at, r.is_reversed) < (excluded.told_at, excluded.is_reversed) RETURNING true AS "isNew"`,
);

/** False if the refund is known, or if newer information is. */
export async function keepRefund(inTransaction: Transaction, values: unknown[]): Promise<boolean> {
  const [kept] = await keepStatement(values, inTransaction);
  return kept !== undefined;
}

const ofPaymentStatement = statement<{ refundedAt: Date }>(
  'store_refund_of',
  `SELECT refunded_at AS "refundedAt" FROM store_refunds WHERE store = $1 AND transaction_id = $2 AND NOT is_reversed`,
);

/** When a payment was refunded; undefined if it was not. */
export async function findRefundedAt(inTransaction: Transaction, store: string, transactionId: string) {
  const [found] = await ofPaymentStatement([store, transactionId], inTransaction);
  return found?.refundedAt;
}

const reverseStatement = statement(
  'store_refund_reverse',
  `UPDATE store_refunds SET is_reversed = true, told_at = $3
   WHERE store = $1 AND transaction_id = $2 AND NOT is_reversed AND told_at <= $3`,
);

export async function reverseRefund(inTransaction: Transaction, store: string, transactionId: string, at: Date) {
  await reverseStatement([store, transactionId, at], inTransaction);
}

/** A payment whose refund was written or reversed just now. */
export interface RefundedPayment {
  transactionId: string;
  amountMinor: number | null;
  currency: string | null;
  isTrial: boolean;
  /** Null if the refund was reversed. */
  refundedAt: Date | null;
}

const settleStatement = statement<RefundedPayment>(
  'store_refunds_settle',
  `UPDATE store_payments x SET refunded_at = CASE WHEN NOT r.is_reversed THEN r.refunded_at END FROM store_refunds r
   WHERE x.store_purchase_id = $1 AND r.store = $2 AND r.transaction_id = x.transaction_id
     AND r.is_reversed = (x.refunded_at IS NOT NULL) AND x.transaction_id IS DISTINCT FROM $3
   RETURNING x.transaction_id AS "transactionId", x.amount_minor AS "amountMinor", x.currency, x.is_trial AS "isTrial",
     x.refunded_at AS "refundedAt"`,
);

/** `except` is the transaction that stays unchanged. */
export function settlePayments(
  inTransaction: Transaction,
  { id, store }: { id: number; store: string },
  except: string | null,
): Promise<RefundedPayment[]> {
  return settleStatement([id, store, except], inTransaction);
}
