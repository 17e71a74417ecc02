import { type Client } from 'pg';
import { renewalSpreadMs } from '../../src/billing/spread';
import { type Books } from './books';
import { journalFaults } from '../support/journal';
import { queryBooks } from '../support/providerBooks';
import { adjustedCurrency } from './requests';

/** The charge of a plan change whose run was lost. It is refunded at once, and events and mails are about the refund only. */
const isOfInterruptedChange = `EXISTS (SELECT FROM subscription_events e WHERE e.subscription_id = c.subscription_id
  AND e.reason = 'declined: interrupted' AND (e.snapshot->>'cycle')::int = c.cycle)`;

/** Renewals are spread over this time after the end of their periods. */
const spread = `interval '${renewalSpreadMs} milliseconds'`;

const living = `('trialing', 'active', 'past_due')`;

const bigints = (text: string) => `(${text})::float8`;

const taxOf = (
  row: string,
  key: string,
) => `CASE WHEN ${row}.${key} IS NOT NULL THEN json_build_object('netMinor', ${row}.net_minor,
  'taxMinor', ${row}.tax_minor, 'grossMinor', ${row}.gross_minor) END`;

/** The subscription counts in the MRR ledger. All plans of the simulator are monthly. */
const isPaid = `s.state IN ('active', 'past_due') AND s.discount_cycle > 0`;

/** All vouchers of the simulator are for the first charge. No price has a discount of exactly half a cent. */
const discount = `CASE WHEN s.discount_cycle = 1 THEN round(s.price_minor * coalesce(s.discount_percent, 0) / 100.0) ELSE 0 END`;

/** Each table of the books as one statement. The names of the columns are those of the books. */
const statements = {
  subscriptions: `
    SELECT s.token, a.uuid AS "accountUuid", s.state, s.auto_renew AS "isRenewing",
      s.access_fee_id::int AS "feeId", coalesce(s.pending_access_fee_id, 0)::int AS "pendingFeeId",
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
      coalesce(s.token, p.token) AS subject, c.cycle, c.status, ${isOfInterruptedChange} AS "isInterrupted"
    FROM charges c LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id`,
  providerCharges: `
    SELECT idempotency_key AS key, reference, ${bigints('amount_minor')} AS "amountMinor" FROM sandbox_charges
    WHERE status = 'paid'`,
  providerRefunds: `
    SELECT idempotency_key AS key, reference, ${bigints('amount_minor')} AS "amountMinor", charge_key AS "chargeKey"
    FROM sandbox_refunds
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
  accessCodes: `
    SELECT c.code, c.device_limit AS "deviceLimit", c.devices AS "placesTaken",
      (SELECT coalesce(array_agg(s.fingerprint), '{}') FROM access_code_sessions s WHERE s.code_id = c.id) AS devices
    FROM access_codes c`,
  claims: `
    SELECT e.token, a.uuid AS "accountUuid", e.state,
      (SELECT count(*)::int FROM accesses x WHERE x.source = 'external' AND x.source_id = p.access_source_id) AS accesses
    FROM external_payments e JOIN accounts a ON a.id = e.account_id LEFT JOIN store_purchases p ON p.id = e.store_purchase_id`,
  accounts: `
    SELECT a.uuid AS "accountUuid", m.uuid AS "merchantUuid", a.erased_at IS NOT NULL AS "isErased",
      (SELECT count(*)::int FROM sessions WHERE account_id = a.id) + (SELECT count(*)::int FROM mails WHERE account_id = a.id)
        + (SELECT count(*)::int FROM cards WHERE account_id = a.id AND last_four <> '0000')
        + (a.email NOT LIKE 'erased-%')::int AS "personalRows",
      (SELECT count(*)::int FROM accesses x WHERE x.account_id = a.id AND x.revoked_at IS NULL
        AND x.expires_at > merchant_now(x.merchant_id)) AS "openAccesses",
      (SELECT count(*)::int FROM account_operations WHERE account_id = a.id AND kind = 'export' AND state = 'done') AS exports,
      (SELECT count(*)::int FROM mails WHERE account_id = a.id AND template = 'account_export') AS "exportMails",
      ${bigints(`SELECT coalesce(sum(amount_minor), 0) FROM balance_movements
        WHERE account_id = a.id AND currency = '${adjustedCurrency}'`)} AS "adjustedMinor"
    FROM accounts a JOIN accounts m ON m.id = a.merchant_id WHERE a.role = 'consumer'`,
  events: `
    SELECT m.uuid AS "merchantUuid", a.uuid AS "accountUuid", e.sequence::int, e.type,
      coalesce(e.resource->>'subscription_id', e.resource->>'transaction') AS subject,
      round((e.resource->>'amount')::numeric * 100)::float8 AS "amountMinor"
    FROM events e JOIN accounts m ON m.id = e.merchant_id JOIN accounts a ON a.id = e.account_id
    ORDER BY e.merchant_id, e.sequence`,
  sales: `
    SELECT 'invoice' AS kind, c.idempotency_key AS key, ${bigints('c.amount_minor')} AS "amountMinor", ${taxOf('t', 'charge_id')} AS tax
    FROM charges c JOIN tax_profiles p ON p.merchant_id = c.merchant_id LEFT JOIN charge_taxes t ON t.charge_id = c.id
    WHERE c.status = 'paid' AND c.amount_minor > 0
    UNION ALL
    SELECT 'credit_note', r.token, ${bigints('r.amount_minor')}, ${taxOf('t', 'refund_id')}
    FROM refunds r JOIN tax_profiles p ON p.merchant_id = r.merchant_id LEFT JOIN refund_taxes t ON t.refund_id = r.id
    WHERE r.state = 'refunded'`,
  documents: `
    SELECT m.uuid AS "merchantUuid", v.kind, coalesce(r.token, c.idempotency_key) AS key, v.year, v.series,
      v.sequence_no AS "sequenceNo", ${bigints('v.net_minor')} AS "netMinor", ${bigints('v.tax_minor')} AS "taxMinor",
      ${bigints('v.gross_minor')} AS "grossMinor"
    FROM invoices v JOIN accounts m ON m.id = v.merchant_id JOIN charges c ON c.id = v.charge_id
      LEFT JOIN refunds r ON r.id = v.refund_id`,
  revenue: `
    SELECT s.token, a.uuid AS "accountUuid",
      ${bigints('SELECT coalesce(sum(amount_minor), 0) FROM mrr_movements WHERE subscription_id = s.id')} AS "ledgerMinor",
      ${bigints(`CASE WHEN ${isPaid} THEN s.price_minor - ${discount} ELSE 0 END`)} AS "monthlyMinor"
    FROM subscriptions s JOIN accounts a ON a.id = s.account_id`,
  customers: `
    SELECT a.uuid AS "accountUuid", ${bigints('sum(p.mrr_minor)')} AS "mrrMinor"
    FROM paying_customers p JOIN accounts a ON a.id = p.account_id GROUP BY 1`,
  mails: `
    SELECT a.uuid AS "accountUuid", 'receipts' AS what,
      (SELECT count(*)::int FROM charges c WHERE c.account_id = a.id AND c.status = 'paid'
        AND (c.amount_minor > 0 OR c.balance_minor > 0) AND NOT ${isOfInterruptedChange}) AS due,
      (SELECT count(*)::int FROM mails WHERE account_id = a.id AND template IN ('receipt', 'payment_recovered')) AS written
    FROM accounts a
    UNION ALL
    SELECT a.uuid, 'refunds',
      (SELECT count(*)::int FROM refunds r JOIN charges c ON c.id = r.charge_id
        WHERE c.account_id = a.id AND r.state = 'refunded'),
      (SELECT count(*)::int FROM mails WHERE account_id = a.id AND template = 'refund')
    FROM accounts a
    UNION ALL
    SELECT a.uuid, 'gifts',
      (SELECT count(*)::int FROM payments p WHERE p.merchant_id = a.id AND p.is_gift AND p.state = 'paid'),
      (SELECT count(*)::int FROM mails WHERE merchant_id = a.id AND template = 'gift')
    FROM accounts a`,
  clocks: `
    SELECT a.uuid AS "merchantUuid", extract(epoch FROM c.ahead)::float8 AS "aheadSeconds"
    FROM test_clocks c JOIN accounts a ON a.id = c.merchant_id`,
};

const unsentStatement = `
  SELECT coalesce(signal, 'a start') || ' of ' || workflow_id || coalesce(' (' || last_error || ')', '') AS text FROM outbox`;

/** Purchases and refunds that are not decided, and subscriptions with an overdue step or a stored request. */
const dueStatement = `
  SELECT token AS text FROM subscriptions WHERE state = 'incomplete' OR requests <> '[]'
    OR (state IN ${living}
      AND (next_due_at <= merchant_now(merchant_id) OR current_period_end <= merchant_now(merchant_id) - ${spread}))
    OR (state IN ('active', 'past_due', 'on_hold') AND (due_minor > 0 OR past_due_at IS NOT NULL)
      AND coalesce(next_retry_at, past_due_at + interval '21 days', current_period_start) <= merchant_now(merchant_id))
  UNION ALL SELECT token FROM payments WHERE state = 'incomplete'
  UNION ALL SELECT token FROM refunds WHERE state IN ('open', 'pending')
  UNION ALL SELECT token FROM external_payments WHERE state = 'pending'
  UNION ALL SELECT kind || ' ' || token FROM account_operations WHERE state = 'running'`;

/**
 * Deliveries that wait, and events that no delivery was written for yet. The last number of a channel is no event after a
 * restore, which leaves numbers out.
 */
const undeliveredStatement = `
  SELECT 'event ' || d.sequence || ' of webhook ' || d.endpoint_id AS text FROM webhook_deliveries d WHERE d.state = 'pending'
  UNION ALL SELECT 'events after ' || e.cursor || ' of webhook ' || e.id
    FROM webhook_endpoints e WHERE e.is_enabled
    AND EXISTS (SELECT FROM events v WHERE v.merchant_id = e.merchant_id AND v.sequence > e.cursor)`;

async function listTexts(client: Client, statement: string): Promise<string[]> {
  return (await client.query<{ text: string }>(statement)).rows.map(({ text }) => text);
}

/** The pending work of the service. */
export async function readUnfinished(client: Client): Promise<Pick<Books, 'unsent' | 'due' | 'undelivered'>> {
  return {
    unsent: await listTexts(client, unsentStatement),
    due: await listTexts(client, dueStatement),
    undelivered: await listTexts(client, undeliveredStatement),
  };
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
