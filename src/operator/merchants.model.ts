import { query } from '../adapters/postgres/statement';
import { type MerchantState } from '../accounts/merchants/states.model';

export interface MerchantRow {
  id: number;
  uuid: string;
  name: string;
  email: string;
  state: MerchantState;
  reason: string | null;
  masterId: number | null;
  customers: number;
  createdAt: Date;
  waitingSince: Date | null;
  suspendedAt: Date | null;
}

export interface MerchantFilter {
  id?: number | undefined;
  state?: MerchantState | undefined;
  search?: string | undefined;
}

const found = `FROM accounts a LEFT JOIN merchant_states s ON s.merchant_id = a.id
    LEFT JOIN follower_relations r ON r.follower_id = a.id
  CROSS JOIN LATERAL (SELECT CASE WHEN s.suspended_at IS NOT NULL THEN 'suspended'
    WHEN s.waiting_since IS NOT NULL THEN 'waiting' ELSE 'open' END AS state) AS now_is
  WHERE a.role = 'merchant' AND ($1::int IS NULL OR a.id = $1) AND ($2::text IS NULL OR now_is.state = $2)
    AND ($3::text IS NULL OR strpos(lower(a.full_name), lower($3)) > 0 OR strpos(a.email_normalized, lower($3)) > 0
      OR a.uuid::text = lower($3))`;

const valuesOf = ({ id, state, search }: MerchantFilter) => [id ?? null, state ?? null, search ?? null];

export function findMerchants(filter: MerchantFilter, { limit, offset }: { limit: number; offset: number }) {
  return query<MerchantRow>(
    `SELECT a.id, a.uuid, a.full_name AS name, a.email, now_is.state, s.suspension_reason AS reason,
       r.master_id AS "masterId", a.created_at AS "createdAt", s.waiting_since AS "waitingSince",
       s.suspended_at AS "suspendedAt",
       (SELECT count(*)::int FROM accounts c WHERE c.merchant_id = a.id AND c.role = 'consumer') AS customers
     ${found} ORDER BY a.id DESC LIMIT $4 OFFSET $5`,
    [...valuesOf(filter), limit, offset],
  );
}

export async function countMerchants(filter: MerchantFilter): Promise<number> {
  const [counted] = await query<{ total: number }>(`SELECT count(*)::int AS total ${found}`, valuesOf(filter));
  return counted?.total ?? 0;
}
