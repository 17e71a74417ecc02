import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type Store } from './purchases/purchases.model';

const keepStatement = statement(
  'consumption_request_keep',
  `INSERT INTO store_consumption_requests (store, notification_id, original_id, transaction_id, environment,
     refund_reason, answer_by) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
);

export async function keepRequest(inTransaction: Transaction, values: unknown[]): Promise<void> {
  await keepStatement(values, inTransaction);
}

/** An unanswered consumption request, with the recorded facts of its payment. */
export interface WaitingRequest {
  store: Store;
  notificationId: string;
  transactionId: string;
  environment: 'production' | 'sandbox';
  answerBy: Date;
  merchantId: number;
  isErased: boolean;
  isMapped: boolean;
  /** When the payment was made; null if the payment is not recorded yet. */
  paidAt: Date | null;
  /** The payment is the purchase's latest one. */
  isLatest: boolean;
  hadTrial: boolean;
  startsAt: Date;
  /** Null: access never ends. */
  endsAt: Date | null;
}

const waitingColumns = `SELECT c.store, c.notification_id AS "notificationId", c.transaction_id AS "transactionId",
     c.environment, c.answer_by AS "answerBy", p.merchant_id AS "merchantId", a.erasing_at IS NOT NULL AS "isErased",
     p.is_mapped AS "isMapped", x.paid_at AS "paidAt", p.transaction_id = c.transaction_id AS "isLatest",
     EXISTS (SELECT FROM store_payments t WHERE t.store_purchase_id = p.id AND t.is_trial AND t.paid_at <= x.paid_at)
       AS "hadTrial",
     coalesce(p.period_starts_at, p.purchased_at) AS "startsAt", coalesce(p.expires_at, p.access_ends_at) AS "endsAt"
   FROM store_consumption_requests c JOIN store_purchases p ON p.store = c.store AND p.original_id = c.original_id
   JOIN accounts a ON a.id = p.account_id
   LEFT JOIN store_payments x ON x.store_purchase_id = p.id AND x.transaction_id = c.transaction_id
   WHERE c.state = 'pending'`;

const ofPurchaseStatement = statement<WaitingRequest>(
  'consumption_requests_of_purchase',
  `${waitingColumns} AND p.id = $1 ORDER BY c.answer_by`,
);
const allStatement = statement<WaitingRequest>(
  'consumption_requests_waiting',
  `${waitingColumns} ORDER BY c.answer_by LIMIT 1000`,
);

export function listWaitingOf(storePurchaseId: number): Promise<WaitingRequest[]> {
  return ofPurchaseStatement([storePurchaseId]);
}

export function listWaiting(): Promise<WaitingRequest[]> {
  return allStatement([]);
}

export interface Settlement {
  state: 'sent' | 'not_sent' | 'refused';
  reason: string;
  answer?: object;
}

const settleStatement = statement(
  'consumption_request_settle',
  `UPDATE store_consumption_requests SET state = $3, state_reason = $4, answer = $5, settled_at = now()
   WHERE store = $1 AND notification_id = $2 AND state = 'pending'`,
);

export async function settleRequest(request: WaitingRequest, { state, reason, answer }: Settlement): Promise<void> {
  const sent = answer === undefined ? null : JSON.stringify(answer);
  await settleStatement([request.store, request.notificationId, state, reason, sent]);
}

const unclaimedStatement = statement(
  'consumption_requests_unclaimed',
  `UPDATE store_consumption_requests c SET state = 'not_sent', state_reason = 'unclaimed', settled_at = now()
   WHERE state = 'pending' AND answer_by <= $1
     AND NOT EXISTS (SELECT FROM store_purchases p WHERE p.store = c.store AND p.original_id = c.original_id)`,
);

/** Settles requests whose deadline has passed and whose purchase no account has claimed. */
export async function settleUnclaimed(present: Date): Promise<void> {
  await unclaimedStatement([present]);
}
