import { type Client } from 'pg';
import { type Books } from './books';
import { journalFaults } from '../support/journal';
import { queryBooks } from '../support/providerBooks';

const living = `('trialing', 'active', 'past_due')`;

const bigints = (text: string) => `(${text})::float8`;

/** Each table of the books as one statement. The names of the columns are those of the books. */
const statements = {
  subscriptions: `
    SELECT s.token, a.uuid AS "accountUuid", s.state, s.auto_renew AS "isRenewing",
      (SELECT count(*)::int FROM accesses x WHERE x.source = 'subscription' AND x.source_id = s.id AND x.revoked_at IS NULL
        AND x.starts_at <= merchant_now(s.merchant_id)
        AND x.expires_at > coalesce(s.ended_at, merchant_now(s.merchant_id))) AS "openAccesses"
    FROM subscriptions s JOIN accounts a ON a.id = s.account_id`,
  payments: `
    SELECT p.token, a.uuid AS "accountUuid", p.state, p.is_gift AS "isGift", ${bigints('p.charged_minor')} AS "chargedMinor",
      (SELECT count(*)::int FROM accesses x WHERE x.source = 'payment' AND x.source_id = p.id) AS accesses
    FROM payments p JOIN accounts a ON a.id = p.account_id`,
  charges: `
    SELECT c.idempotency_key AS key, c.reference, ${bigints('c.amount_minor')} AS "amountMinor",
      coalesce(s.token, p.token) AS subject, c.cycle, c.status
    FROM charges c LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id`,
  providerCharges: `
    SELECT idempotency_key AS key, reference, ${bigints('amount_minor')} AS "amountMinor" FROM sandbox_charges
    WHERE status = 'paid'`,
  providerRefunds: `
    SELECT idempotency_key AS key, reference, ${bigints('amount_minor')} AS "amountMinor" FROM sandbox_refunds
    WHERE status = 'refunded'`,
  refunds: `
    SELECT r.token AS key, r.reference, ${bigints('r.amount_minor')} AS "amountMinor", coalesce(s.token, p.token) AS subject, r.state
    FROM refunds r JOIN charges c ON c.id = r.charge_id LEFT JOIN subscriptions s ON s.id = c.subscription_id
      LEFT JOIN payments p ON p.id = c.payment_id`,
  vouchers: `
    SELECT v.code, v.is_gift AS "isGift", v.usage_limit AS "usageLimit", v.usage_counter AS "usageCounter",
      (SELECT coalesce(array_agg(u.subject), '{}') FROM voucher_uses u
        WHERE u.voucher_id = v.id AND u.state IN ('reserved', 'confirmed')) AS "usedBy"
    FROM vouchers v`,
  events: `
    SELECT m.uuid AS "merchantUuid", a.uuid AS "accountUuid", e.sequence::int, e.type,
      coalesce(e.resource->>'subscription_id', e.resource->>'transaction') AS subject,
      round((e.resource->>'amount')::numeric * 100)::float8 AS "amountMinor"
    FROM events e JOIN accounts m ON m.id = e.merchant_id JOIN accounts a ON a.id = e.account_id
    ORDER BY e.merchant_id, e.sequence`,
  clocks: `
    SELECT a.uuid AS "merchantUuid", extract(epoch FROM c.ahead)::float8 AS "aheadSeconds"
    FROM test_clocks c JOIN accounts a ON a.id = c.merchant_id`,
};

const unsentStatement = `
  SELECT coalesce(signal, 'a start') || ' of ' || workflow_id || coalesce(' (' || last_error || ')', '') AS text FROM outbox`;

/** Purchases and refunds that are not decided, and subscriptions with an overdue step. */
const dueStatement = `
  SELECT token AS text FROM subscriptions WHERE state = 'incomplete'
    OR (state IN ${living} AND current_period_end <= merchant_now(merchant_id))
    OR (state IN ('active', 'past_due', 'on_hold') AND (due_minor > 0 OR past_due_at IS NOT NULL)
      AND coalesce(next_retry_at, past_due_at + interval '21 days', current_period_start) <= merchant_now(merchant_id))
  UNION ALL SELECT token FROM payments WHERE state = 'incomplete'
  UNION ALL SELECT token FROM refunds WHERE state IN ('open', 'pending')`;

async function listTexts(client: Client, statement: string): Promise<string[]> {
  return (await client.query<{ text: string }>(statement)).rows.map(({ text }) => text);
}

/** The pending work of the service. */
export async function readUnfinished(client: Client): Promise<Pick<Books, 'unsent' | 'due'>> {
  return { unsent: await listTexts(client, unsentStatement), due: await listTexts(client, dueStatement) };
}

/** The provider's books are outside the database. */
const readWith = (client: Client, statement: string) =>
  statement.includes('sandbox_') ? queryBooks(client, statement) : client.query(statement);

/** All books at one moment. Nothing is due any more, so the provider's books rest. */
export async function readBooks(client: Client): Promise<Books> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const tables: Record<string, unknown> = {};
  for (const [name, statement] of Object.entries(statements)) tables[name] = (await readWith(client, statement)).rows;
  const journal = await journalFaults(client);
  const books = { ...tables, ...(await readUnfinished(client)), journal } as unknown as Books;
  await client.query('COMMIT');
  return books;
}
