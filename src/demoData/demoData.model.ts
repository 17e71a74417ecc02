import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

export interface DemoFill {
  id: number;
  token: string;
  merchantId: number;
  requestedBy: number;
  state: 'running' | 'done' | 'removing' | 'removed';
  stepsDone: number;
  beginsAt: Date;
}

const columns = `id, token, merchant_id AS "merchantId", requested_by AS "requestedBy", state, steps_done AS "stepsDone",
  begins_at AS "beginsAt"`;

const beginStatement = statement<DemoFill>(
  'demo_fill_begin',
  `INSERT INTO demo_fills (merchant_id, requested_by, begins_at) VALUES ($1, $2, merchant_now($1))
   ON CONFLICT (merchant_id) DO NOTHING RETURNING ${columns}`,
);

const forgetStatement = statement(
  'demo_fill_forget',
  `DELETE FROM demo_fills WHERE merchant_id = $1 AND state = 'removed'`,
);

/**
 * Undefined if the merchant has demo data. Of two requests at once the second waits for the first. The row of a filling
 * whose data was removed is deleted.
 */
export async function beginFill(
  inTransaction: Transaction,
  { merchantId, accountId }: { merchantId: number; accountId: number },
): Promise<DemoFill | undefined> {
  await forgetStatement([merchantId], inTransaction);
  const [row] = await beginStatement([merchantId, accountId], inTransaction);
  return row;
}

const ofMerchantStatement = statement<DemoFill>(
  'demo_fill_of_merchant',
  `SELECT ${columns} FROM demo_fills WHERE merchant_id = $1`,
);

export async function findFill(merchantId: number): Promise<DemoFill | undefined> {
  const [row] = await ofMerchantStatement([merchantId]);
  return row;
}

const readStatement = statement<DemoFill>('demo_fill_read', `SELECT ${columns} FROM demo_fills WHERE id = $1`);

export async function readFill(id: number): Promise<DemoFill> {
  const [row] = await readStatement([id]);
  if (!row) throw new Error('there is no such demo data');
  return row;
}

const advanceStatement = statement(
  'demo_fill_advance',
  `UPDATE demo_fills SET steps_done = greatest(steps_done, $2), next_due_at = now(),
     state = CASE WHEN $2 >= $3 THEN 'done' ELSE state END
   WHERE id = $1`,
);

export async function advanceFill(
  inTransaction: Transaction,
  id: number,
  stepsDone: number,
  stepsAll: number,
): Promise<void> {
  await advanceStatement([id, stepsDone, stepsAll], inTransaction);
}

const created = `'account.create', 'item.create', 'access_fee.create', 'voucher.create'`;

const recordStatement = statement(
  'demo_rows_record',
  `WITH fill AS (SELECT id, merchant_id FROM demo_fills WHERE id = $1),
   made AS (
     SELECT l.object_type AS kind, l.object_id::int AS row_id FROM audit_log l JOIN fill USING (merchant_id)
     WHERE l.action IN (${created}) AND starts_with(l.request_id, $2 || '-')
   )
   INSERT INTO demo_rows (fill_id, merchant_id, kind, row_id)
   SELECT fill.id, fill.merchant_id, r.kind, r.row_id FROM fill CROSS JOIN (
     SELECT kind, row_id FROM made
     -- A type of access is created with the first fee that needs it, in the same transaction.
     UNION SELECT 'access_type', t.id FROM made m JOIN access_fees f ON m.kind = 'access_fee' AND f.id = m.row_id
       JOIN access_types t ON t.id = f.access_type_id AND t.created_at = f.created_at
     UNION SELECT 'subscription', s.id FROM subscriptions s JOIN fill USING (merchant_id) WHERE s.referrer = $2
     UNION SELECT 'payment', p.id FROM payments p JOIN fill USING (merchant_id) WHERE p.referrer = $2
   ) r ON CONFLICT DO NOTHING`,
);

/** Lists the rows that the filling has created until now. They carry its mark since the transaction that created them. */
export async function recordRows(inTransaction: Transaction, id: number, mark: string): Promise<void> {
  await recordStatement([id, mark], inTransaction);
}

const removingStatement = statement<{ id: number }>(
  'demo_fill_removing',
  `UPDATE demo_fills SET state = 'removing' WHERE merchant_id = $1 AND state = 'done' RETURNING id`,
);

/** Undefined if there is nothing to remove, or another request has begun the removal. */
export async function beginRemoval(inTransaction: Transaction, merchantId: number): Promise<number | undefined> {
  const [row] = await removingStatement([merchantId], inTransaction);
  return row?.id;
}

const lockStatement = statement<DemoFill>(
  'demo_fill_lock',
  `SELECT ${columns} FROM demo_fills WHERE merchant_id = $1 AND state = 'removing' FOR UPDATE`,
);

/** The removal that has begun and is not complete. Of two requests at once the second waits for the first. */
export async function lockRemoval(inTransaction: Transaction, merchantId: number): Promise<DemoFill | undefined> {
  const [row] = await lockStatement([merchantId], inTransaction);
  return row;
}

const removedStatement = statement('demo_fill_removed', `UPDATE demo_fills SET state = 'removed' WHERE id = $1`);

export async function endRemoval(inTransaction: Transaction, id: number): Promise<void> {
  await removedStatement([id], inTransaction);
}

/** A row of demo data that a removal has left, because rows of a person need it. */
export interface KeptRow {
  kind: 'item' | 'account' | 'voucher';
  id: number;
  name: string;
}

const keptStatement = statement<KeptRow>(
  'demo_rows_kept',
  `SELECT r.kind, r.row_id AS id, coalesce(i.title, a.full_name, v.code) AS name
   FROM demo_rows r JOIN demo_fills f ON f.id = r.fill_id AND f.state = 'removed'
     LEFT JOIN items i ON r.kind = 'item' AND i.id = r.row_id
     LEFT JOIN accounts a ON r.kind = 'account' AND a.id = r.row_id
     LEFT JOIN vouchers v ON r.kind = 'voucher' AND v.id = r.row_id AND v.deleted_at IS NULL
   WHERE f.merchant_id = $1 AND r.keeps <> 'nothing' AND coalesce(i.title, a.full_name, v.code) IS NOT NULL
   ORDER BY r.kind, r.row_id`,
);

export async function listKept(merchantId: number): Promise<KeptRow[]> {
  return keptStatement([merchantId]);
}
