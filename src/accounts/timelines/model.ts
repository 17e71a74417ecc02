import { query } from '../../adapters/postgres/statement';

export interface TimelineRow {
  kind: 'event' | 'audit' | 'session';
  type: string;
  resource: Record<string, unknown>;
  happenedAt: Date;
}

// One branch a table, each read along its own index, and no further than the page reaches.
const branches = [
  `SELECT 'event' AS kind, type, resource, coalesce(happened_at, created_at) AS at, sequence AS place
   FROM events WHERE merchant_id = $1 AND account_id = $2`,
  `SELECT 'audit' AS kind, action AS type, jsonb_build_object('object', object_type) AS resource, created_at AS at,
     sequence AS place
   FROM audit_log WHERE merchant_id = $1 AND object_type = 'account' AND object_id = $2::text`,
  `SELECT 'session' AS kind, 'session.start' AS type, '{}'::jsonb AS resource, created_at AS at, 0::bigint AS place
   FROM sessions WHERE merchant_id = $1 AND account_id = $2`,
];

const pageText = `SELECT kind, type, resource, at AS "happenedAt" FROM (
    ${branches.map((branch) => `(SELECT * FROM (${branch}) b ORDER BY at DESC, place DESC LIMIT $3::int + $4::int)`).join(' UNION ALL ')}
  ) entries ORDER BY at DESC, place DESC, kind LIMIT $3 OFFSET $4`;

const countText = `SELECT ${branches.map((branch) => `(SELECT count(*) FROM (${branch}) b)`).join(' + ')} AS total`;

interface Place {
  limit: number;
  offset: number;
}

/** Of one account, newest first. */
export async function selectTimeline(merchantId: number, accountId: number, { limit, offset }: Place) {
  const rows = await query<TimelineRow>(pageText, [merchantId, accountId, limit, offset]);
  const [counted] = await query<{ total: string }>(countText, [merchantId, accountId]);
  return { rows, total: Number(counted?.total ?? 0) };
}

export async function hasCustomer(merchantId: number, accountId: number): Promise<boolean> {
  const text = `SELECT 1 FROM accounts WHERE merchant_id = $1 AND id = $2 AND role = 'consumer'`;
  return (await query(text, [merchantId, accountId])).length > 0;
}
