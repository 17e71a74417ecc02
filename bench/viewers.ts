import { signAccessToken } from '../src/adapters/jwt';
import { withClient } from './database';
import { millionEmail } from './million';

const viewers = 10_000;
const viewsOfEach = 2;

export interface Viewing {
  /** Consumers with an item that they may see, in no order. One in ten has access through a package. */
  views: { token: string; itemId: number }[];
  /** The first and the last id of the seeded entitlements. */
  accessIds: [number, number];
}

interface View {
  itemId: number;
  uuid: string;
  session: string;
  merchant: string;
}

/** Signs in consumers of the million entitlements, and finds an item for each to which it has access. */
export function openViewers(databaseUrl: string): Promise<Viewing> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<View>(viewsText, [millionEmail, viewers, viewsOfEach]);
    const ids = await client.query<{ first: number; last: number }>(
      'SELECT min(id) AS first, max(id) AS last FROM accesses',
    );
    await client.query('ANALYZE sessions');
    const tokens = new Map(rows.map((view) => [view.session, tokenOf(view)]));
    const { first = 0, last = 0 } = ids.rows[0] ?? {};
    return {
      views: rows.map(({ session, itemId }) => ({ token: tokens.get(session) ?? '', itemId })),
      accessIds: [first, last],
    };
  });
}

const viewsText = `
  WITH merchant AS (SELECT id, uuid FROM accounts WHERE email_normalized = $1),
  opened AS (
    INSERT INTO sessions (id, merchant_id, account_id, client_id, expires_at)
    SELECT gen_random_uuid(), a.merchant_id, a.id, 'bench', now() + interval '1 day' FROM accounts a JOIN merchant m
      ON a.merchant_id = m.id WHERE a.role = 'consumer' ORDER BY md5(a.id::text) LIMIT $2
    RETURNING id, account_id
  )
  SELECT coalesce(within.item_id, found.item_id) AS "itemId", a.uuid, o.id AS session, m.uuid AS merchant
  FROM opened o CROSS JOIN merchant m JOIN accounts a ON a.id = o.account_id
  CROSS JOIN LATERAL (
    SELECT e.item_id, row_number() OVER (ORDER BY md5(e.id::text)) AS place FROM accesses e
    WHERE e.account_id = o.account_id AND e.revoked_at IS NULL AND e.expires_at > now() + interval '1 hour'
  ) AS found
  LEFT JOIN LATERAL (
    SELECT p.item_id FROM package_items p WHERE p.package_id = found.item_id ORDER BY md5(p.item_id::text) LIMIT 1
  ) AS within ON true
  WHERE found.place <= $3 ORDER BY md5(o.id::text || found.item_id)`;

function tokenOf({ uuid, session, merchant }: View): string {
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  return signAccessToken({
    sub: uuid,
    mid: merchant,
    sid: session,
    cid: merchant,
    role: 'consumer',
    scope: '',
    exp,
  });
}
