import { statement } from '../adapters/postgres/statement';

/** A customer, for the merchant's support. */
export interface ExplainedAccount {
  isActive: boolean;
  dateOfBirth: string | null;
  present: Date;
  sessions: number;
  sessionsWithPin: number;
  /** The IP address of the latest purchase or grant. Empty if it is unknown. */
  address: string;
}

const accountStatement = statement<ExplainedAccount>(
  'access_explained_account',
  `SELECT a.is_active AS "isActive", a.date_of_birth::text AS "dateOfBirth", merchant_now(a.merchant_id) AS present,
     s.sessions, s.with_pin AS "sessionsWithPin",
     coalesce((SELECT ip_address FROM accesses WHERE account_id = a.id AND ip_address <> '' ORDER BY id DESC LIMIT 1), '')
       AS address
   FROM accounts a CROSS JOIN LATERAL (
     SELECT count(*)::int AS sessions,
       (count(*) FILTER (WHERE p.validated_at > now() - interval '12 hours'))::int AS with_pin
     FROM sessions s LEFT JOIN pin_codes p ON p.session_id = s.id
     WHERE s.account_id = a.id AND s.revoked_at IS NULL AND s.expires_at > now()
   ) AS s
   WHERE a.id = $1 AND a.merchant_id = $2`,
);

export async function findExplainedAccount(merchantId: number, accountId: number) {
  const [account] = await accountStatement([accountId, merchantId]);
  return account;
}

export interface ExplainedRow {
  id: number;
  itemId: number;
  itemTitle: string;
  source: string;
  accessFeeId: number | null;
  state: 'running' | 'not_begun' | 'expired' | 'revoked';
  startsAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

/**
 * Current and past entitlements to an item and its packages: current ones first, in the order of the check. A revoked one
 * ended with its revocation, so the first of the others is the one that ended last.
 */
const rowsStatement = statement<ExplainedRow>(
  'access_explained_rows',
  `SELECT e.id, e.item_id AS "itemId", i.title AS "itemTitle", e.source, e.access_fee_id AS "accessFeeId", judged.state,
     e.starts_at AS "startsAt", e.expires_at AS "expiresAt", e.revoked_at AS "revokedAt"
   FROM accesses e JOIN items i ON i.id = e.item_id CROSS JOIN LATERAL (
     SELECT CASE WHEN e.revoked_at IS NOT NULL THEN 'revoked' WHEN e.expires_at <= $3 THEN 'expired'
       WHEN e.starts_at > $3 THEN 'not_begun' ELSE 'running' END AS state
   ) AS judged
   WHERE e.account_id = $1 AND e.environment = $4
     AND e.item_id IN (SELECT $2::int UNION ALL SELECT package_id FROM package_items WHERE item_id = $2)
   ORDER BY judged.state = 'running' DESC, least(e.expires_at, e.revoked_at) DESC, e.id DESC LIMIT 50`,
);

export function listExplainedRows(accountId: number, itemId: number, present: Date, environment: string) {
  return rowsStatement([accountId, itemId, present, environment]);
}
