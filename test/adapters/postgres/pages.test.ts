import pg from 'pg';
import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;
let webhookId: number;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  const fields = { url: 'https://hooks.example.org/paywall', events: ['access.granted'] };
  const { body } = await call<{ id: number }>(app, 'POST', '/webhooks', fields, merchant);
  webhookId = body.id;
});

afterAll(() => app.stop());

interface Sent {
  text: string;
  values: unknown[];
}

/** The statements that read from a table while `work` runs. */
async function statementsOn(table: string, work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const prototype = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...given: unknown[]) {
    const [what, values] = given;
    const { text, values: bound } = typeof what === 'string' ? { text: what, values } : (what as Partial<Sent>);
    if (
      text !== undefined &&
      new RegExp(`FROM ("unfenced"\\.)?"?${table}"?\\b`).test(text) &&
      /ORDER BY|count\(/i.test(text)
    )
      sent.push({ text, values: Array.isArray(bound) ? bound : [] });
    return query.apply(this, given);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return sent;
}

/** The plan that PostgreSQL uses for a long table. For the few rows of a test it would read the whole table. */
async function planOf({ text, values }: Sent): Promise<string> {
  const client = new pg.Client(process.env['DATABASE_URL']);
  await client.connect();
  try {
    await client.query('SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

const lists: [path: string, table: string, index: RegExp][] = [
  ['/accounts/registered-users', 'accounts', /accounts_merchant_id_id_key|accounts_merchant/],
  ['/accounts/registered-users?active=true', 'accounts', /accounts_merchant_id_id_key|accounts_merchant/],
  ['/audit', 'audit_log', /audit_log_pkey/],
  ['/audit?action=account.deactivate', 'audit_log', /audit_log_action/],
  ['/audit?actor_account_id=1', 'audit_log', /audit_log_actor/],
  ['/test-mailbox', 'mails', /mails_merchant/],
  ['/v2/accounts/customers/data-capture', 'data_captures', /data_captures_merchant/],
  ['/webhooks/{webhook}/deliveries', 'webhook_deliveries', /webhook_deliveries_endpoint/],
  ['/vouchers', 'vouchers', /vouchers_/],
  ['/vouchers/gifts', 'gift_vouchers', /gift_vouchers_merchant/],
  ['/subscriptions', 'subscriptions', /subscriptions_merchant_created/],
  ['/subscriptions?status=past_due', 'subscriptions', /subscriptions_(state|begun)_created/],
  ['/subscriptions?item_id=1', 'subscriptions', /subscriptions_item_created/],
  ['/subscriptions?never_paid=false', 'subscriptions', /subscriptions_begun_created/],
  ['/subscriptions?never_paid=false&item_id=1', 'subscriptions', /subscriptions_begun_item/],
  ['/subscriptions?never_paid=false&sort=period_end', 'subscriptions', /subscriptions_begun_period_end/],
  ['/subscriptions?account_id=1', 'subscriptions', /subscriptions_(account|merchant_created)\b/],
];

const ask = (path: string) =>
  call<{ total: number }>(app, 'GET', path.replace('{webhook}', String(webhookId)), undefined, merchant);

test.each(lists)('200: a page of %s is read by an index, in its order', async (path, table, index) => {
  const sent = await statementsOn(table, async () => expect((await ask(path)).status).toBe(200));
  const [page] = sent.filter(({ text }) => /LIMIT/.test(text));
  if (!page) throw new Error(`nothing of ${table} was read`);
  const plan = await planOf(page);
  const ofTable = plan.split('\n').filter((line) => / on "?(\w+)/.exec(line)?.[1] === table);
  const [ordered, ...lookups] = ofTable;
  expect(ordered).toMatch(/Index (Only )?Scan( Backward)? using/);
  expect(ordered).toMatch(index);
  // The list of subscriptions looks up the rows of the page, which the index has found.
  const lookup = expect.stringMatching(/Index Scan using subscriptions_pkey on subscriptions/) as unknown;
  expect(lookups).toEqual(table === 'subscriptions' ? [lookup] : []);
  // Both kinds of subscriptions are put in one order at the end; each comes from its index.
  if (table !== 'subscriptions') expect(plan).not.toMatch(/Sort/);
});

test.each(lists)('200: the only page of %s, which is its last, is not counted', async (path, table) => {
  const sent = await statementsOn(table, async () => expect((await ask(path)).status).toBe(200));
  expect(sent.filter(({ text }) => /count\(/i.test(text))).toEqual([]);
});
