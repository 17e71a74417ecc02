import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

const keepStatement = statement<{ isNew: boolean }>(
  'store_notification_keep',
  `INSERT INTO store_notifications (store, notification_id, merchant_id, original_id, look_up_id, type, told_at,
     sealed_body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING true AS "isNew"`,
);

/** False if the notification was received before. */
export async function keepNotification(inTransaction: Transaction, values: unknown[]): Promise<boolean> {
  const [row] = await keepStatement(values, inTransaction);
  return row !== undefined;
}

const lookUpStatement = statement<{ lookUpId: string }>(
  'store_notification_look_up',
  `SELECT look_up_id AS "lookUpId" FROM store_notifications
   WHERE store = $1 AND original_id = $2 AND look_up_id IS NOT NULL ORDER BY told_at DESC LIMIT 1`,
);

/** The latest transaction of a purchase that a notification reported. */
export async function findLookUp(inTransaction: Transaction, store: string, originalId: string) {
  const [row] = await lookUpStatement([store, originalId], inTransaction);
  return row?.lookUpId;
}
