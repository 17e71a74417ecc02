import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type Store } from './purchases/purchases.model';

/** The purchase that a notification names. */
export interface UnclaimedPurchase {
  /** The merchants with the app of the purchase. */
  merchantIds: number[];
  originalId: string;
  lookUpId: string | null;
}

const unclaimedStatement = statement<UnclaimedPurchase>(
  'store_notification_told',
  `SELECT coalesce(u.candidate_ids, ARRAY[n.merchant_id]) AS "merchantIds", n.original_id AS "originalId",
     n.look_up_id AS "lookUpId"
   FROM store_notifications n
   LEFT JOIN unclaimed_purchases u ON u.store = n.store AND u.notification_id = n.notification_id
   WHERE n.store = $1 AND n.notification_id = $2 AND n.original_id IS NOT NULL
     AND NOT EXISTS (SELECT FROM store_purchases p WHERE p.store = n.store AND p.original_id = n.original_id)`,
);

/** Undefined if an account already has the purchase. */
export async function findUnclaimed(store: Store, notificationId: string): Promise<UnclaimedPurchase | undefined> {
  const [purchase] = await unclaimedStatement([store, notificationId]);
  return purchase;
}

const ownerStatement = statement<{ accountId: number }>(
  'store_purchase_owner_of',
  `SELECT p.account_id AS "accountId" FROM store_purchases p JOIN accounts a ON a.id = p.account_id
   WHERE p.store = $1 AND p.merchant_id = $2 AND a.erasing_at IS NULL AND (p.original_id = $3
     OR p.id IN (SELECT store_purchase_id FROM store_payments WHERE transaction_id = $3))
   ORDER BY p.id LIMIT 1`,
);

/** Finds the account of a purchase by the purchase's id or by the id of one of its payments. */
export async function findOwnerOf(inTransaction: Transaction, store: Store, merchantId: number, id: string) {
  const [owner] = await ownerStatement([store, merchantId, id], inTransaction);
  return owner?.accountId;
}

const keepStatement = statement(
  'unclaimed_purchase_keep',
  `INSERT INTO unclaimed_purchases (merchant_id, candidate_ids, token, store, notification_id, next_due_at)
   VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6)) ON CONFLICT DO NOTHING`,
);

/**
 * An active run has asked the store within this time: it waits ten minutes for the app, and at most ten minutes between
 * two tries.
 */
const lookWithinSeconds = 1_200;

/** The notification that reported a purchase. */
interface NotificationKey {
  store: Store;
  notificationId: string;
}

/** Keeps a row for an unclaimed purchase. While the row exists, the purchase needs a run. */
export async function keepUnclaimed(
  inTransaction: Transaction,
  { merchantIds, token, store, notificationId }: NotificationKey & { merchantIds: readonly number[]; token: string },
): Promise<void> {
  const values = [merchantIds[0], merchantIds, token, store, notificationId, lookWithinSeconds];
  await keepStatement(values, inTransaction);
}

const laterStatement = statement(
  'unclaimed_purchase_later',
  `UPDATE unclaimed_purchases SET next_due_at = now() + make_interval(secs => $3)
   WHERE store = $1 AND notification_id = $2`,
);

/** Plans the next try after the store was not available. The store's own delay is added. */
export async function lookLater({ store, notificationId }: NotificationKey, retryAfterSeconds: number): Promise<void> {
  await laterStatement([store, notificationId, lookWithinSeconds + retryAfterSeconds]);
}

const settleStatement = statement(
  'unclaimed_purchase_settle',
  'DELETE FROM unclaimed_purchases WHERE store = $1 AND notification_id = $2',
);

/** Deletes the row: the purchase's account is known, or no account can be found. The row no longer needs a run. */
export async function settleUnclaimed({ store, notificationId }: NotificationKey): Promise<void> {
  await settleStatement([store, notificationId]);
}
