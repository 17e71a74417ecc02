import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

// A reversal follows its refund, so it wins if both have the same time.
const keepStatement = statement<{ isNew: boolean }>(
  'store_refund_keep',
  `INSERT INTO store_refunds AS r (merchant_id, store, transaction_id, original_id, refunded_at, is_reversed, told_at)
   SELECT id, $2, $3, $4, $5::timestamptz, $6::boolean, $7::timestamptz FROM unnest($1::int[]) AS id ORDER BY id
   ON CONFLICT (merchant_id, store, transaction_id) DO UPDATE SET is_reversed = excluded.is_reversed, told_at = excluded.told_at,
     refunded_at = excluded.refunded_at
   WHERE (r.told_at, r.is_reversed) < (excluded.told_at, excluded.is_reversed) RETURNING true AS "isNew"`,
);

/** `toldAt`: the store’s time of the report. */
export interface ReportedRefund {
  transactionId: string;
  originalId: string;
  refundedAt: Date;
  isReversed: boolean;
  toldAt: Date;
}

/** Keeps a refund for merchants that share an app. False if all of them know it, or know something newer. */
export async function keepRefund(
  inTransaction: Transaction,
  { merchantIds, store }: { merchantIds: readonly number[]; store: string },
  { transactionId, originalId, refundedAt, isReversed, toldAt }: ReportedRefund,
): Promise<boolean> {
  const values = [merchantIds, store, transactionId, originalId, refundedAt, isReversed, toldAt];
  const [kept] = await keepStatement(values, inTransaction);
  return kept !== undefined;
}

/** A payment in a store, at the merchant that has sold it. */
export interface StorePayment {
  merchantId: number;
  store: string;
  transactionId: string;
}

const ofPaymentStatement = statement<{ refundedAt: Date }>(
  'store_refund_of',
  `SELECT refunded_at AS "refundedAt" FROM store_refunds
   WHERE merchant_id = $1 AND store = $2 AND transaction_id = $3 AND NOT is_reversed`,
);

/** When a payment was refunded; undefined if it was not. */
export async function findRefundedAt(
  inTransaction: Transaction,
  { merchantId, store, transactionId }: StorePayment,
): Promise<Date | undefined> {
  const [found] = await ofPaymentStatement([merchantId, store, transactionId], inTransaction);
  return found?.refundedAt;
}

const reverseStatement = statement(
  'store_refund_reverse',
  `UPDATE store_refunds SET is_reversed = true, told_at = $4
   WHERE merchant_id = $1 AND store = $2 AND transaction_id = $3 AND NOT is_reversed AND told_at <= $4`,
);

export async function reverseRefund(
  inTransaction: Transaction,
  { merchantId, store, transactionId }: StorePayment,
  at: Date,
): Promise<void> {
  await reverseStatement([merchantId, store, transactionId, at], inTransaction);
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
   WHERE x.store_purchase_id = $1 AND r.merchant_id = x.merchant_id AND r.store = $2 AND r.transaction_id = x.transaction_id
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
