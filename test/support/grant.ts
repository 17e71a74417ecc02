import { type Person, type Shop } from './factories';
import { type TestApp } from './startApp';

/** PostgreSQL intervals from now: `-1 hour`. */
interface Period {
  from: string;
  to: string;
  revoked?: boolean;
}

// Higher than the ids of the subscriptions that a test creates.
let sources = 1_000_000;

/** Access as a subscription grants it, without the subscription. Times are Unix seconds. */
export async function grant(app: TestApp, shop: Omit<Shop, 'fee'> & { consumer: Person }, period: Period) {
  const { rows } = await app.pool.query<{ id: number; startsAt: number; expiresAt: number }>(
    `INSERT INTO accesses (merchant_id, account_id, item_id, source, source_id, environment, starts_at, expires_at, revoked_at)
     VALUES ($1, $2, $3, 'subscription', $4, 'test', now() + $5::interval, now() + $6::interval, CASE WHEN $7 THEN now() END)
     RETURNING id, floor(extract(epoch FROM starts_at))::int AS "startsAt", floor(extract(epoch FROM expires_at))::int AS "expiresAt"`,
    [shop.merchant.id, shop.consumer.id, shop.item.id, ++sources, period.from, period.to, period.revoked ?? false],
  );
  const [row] = rows;
  if (!row) throw new Error('The entitlement was not written');
  return row;
}
