import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type Store } from '../purchases/model';

/** What a notification named: the purchase, at whose store. */
export interface ToldPurchase {
  merchantId: number;
  originalId: string;
  lookUpId: string | null;
}

const toldStatement = statement<ToldPurchase>(
  'store_notification_told',
  `SELECT merchant_id AS "merchantId", original_id AS "originalId", look_up_id AS "lookUpId" FROM store_notifications n
   WHERE store = $1 AND notification_id = $2 AND original_id IS NOT NULL
     AND NOT EXISTS (SELECT FROM store_purchases p WHERE p.store = n.store AND p.original_id = n.original_id)`,
);

/** Undefined: an account has it already. */
export async function findUnclaimed(store: Store, notificationId: string): Promise<ToldPurchase | undefined> {
  const [told] = await toldStatement([store, notificationId]);
  return told;
}

const ownerStatement = statement<{ accountId: number }>(
  'store_purchase_owner_of',
  `SELECT p.account_id AS "accountId" FROM store_purchases p JOIN accounts a ON a.id = p.account_id
   WHERE p.store = $1 AND p.merchant_id = $2 AND a.erasing_at IS NULL AND (p.original_id = $3
     OR p.id IN (SELECT store_purchase_id FROM store_payments WHERE transaction_id = $3))
   ORDER BY p.id LIMIT 1`,
);

/** The account of a purchase, named by its own id or by one of its payments'. */
export async function findOwnerOf(inTransaction: Transaction, store: Store, merchantId: number, id: string) {
  const [owner] = await ownerStatement([store, merchantId, id], inTransaction);
  return owner?.accountId;
}
