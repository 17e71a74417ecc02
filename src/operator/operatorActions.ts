import { type z } from 'zod';
import { query } from '../adapters/postgres/statement';
import { type PageQuery, pageRange } from '../kit/page';
import { unixSeconds } from '../kit/time';

interface ActionRow {
  operator_id: number;
  operator_email: string;
  action: string;
  object_type: string;
  object_id: string;
  address: string | null;
  createdAt: Date;
  total: number;
}

/** Each operator has an audit log of its own, like a merchant. This list reads the logs of all operators. */
export async function listOperatorActions(sent: z.output<typeof PageQuery>) {
  const { page, limit, offset } = pageRange(sent);
  const from = `FROM audit_log l JOIN accounts o ON o.id = l.merchant_id AND o.role = 'operator'`;
  const rows = await query<ActionRow>(
    `SELECT l.merchant_id AS operator_id, o.email AS operator_email, l.action, l.object_type, l.object_id, l.address, l.created_at AS "createdAt"
     ${from} ORDER BY l.created_at DESC, l.merchant_id, l.sequence DESC LIMIT $1 OFFSET $2`,
    [limit, offset],
  );
  const [counted] = await query<{ total: number }>(`SELECT count(*)::int AS total ${from}`, []);
  const collection = rows.map(({ createdAt, ...row }) => ({ ...row, created_at: unixSeconds(createdAt) }));
  return { total: counted?.total ?? 0, page, offset, limit, collection };
}
