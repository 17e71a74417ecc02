import { askedBy, type Asked } from '../support/asked';
import { call } from '../support/client';
import { createShop, type Shop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

/** Every statement of a report uses an index, however many rows other merchants have. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
});

afterAll(() => app.stop());

const large =
  'charges|refunds|disputes|store_payments|store_transitions|mrr_movements|subscription_events|daily_figures|figure_deltas';

/** The statements that answer a request, as they go to the database. */
async function statementsOf(path: string): Promise<Asked[]> {
  const asked = await askedBy(async () => {
    expect((await call(app, 'GET', path, undefined, shop.merchant)).status).toBe(200);
  });
  return asked.filter(({ text }) => new RegExp(`(FROM|JOIN) (${large})\\b`).test(text));
}

/** The tables that would be read as a whole. With these planner costs, no table with a fitting index is among them. */
async function scannedBy({ text, values }: Asked): Promise<string[]> {
  // The role of the service, because policies do not apply to the owner of the tables.
  const { pool } = await import('../../src/adapters/postgres/connection.js');
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return [...plan.matchAll(new RegExp(`Seq Scan on (${large})\\b`, 'g'))].map(([, name = '']) => name);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const range = 'from=2026-01-01&to=2026-01-31';

test.each([
  `/reporting/summary?${range}`,
  `/reporting/revenue?${range}&group_by=fee`,
  `/reporting/subscriptions?${range}`,
  `/reporting/mrr?${range}`,
  `/reporting/customers?${range}`,
  `/reporting/trials?${range}`,
  `/reporting/dunning?${range}`,
  `/reporting/cohorts?${range}`,
  `/reporting/transactions?${range}`,
  `/reporting/transactions?${range}&type=chargeback`,
  `/reporting/movements?${range}`,
  `/reporting/transitions?${range}`,
  `/reporting/transitions?${range}&what=trial_converted,trial_lost`,
  '/reporting/transitions?state=active&to=2026-01-31',
  '/reporting/movements?cohort=2026-01&first=true&to=2026-01-31',
  '/payments/transactions?startDate=2026-01-01',
])('%s reads no table as a whole', async (path) => {
  const statements = await statementsOf(path);
  expect(statements.length).toBeGreaterThan(0);
  for (const asked of statements) expect([asked.text, await scannedBy(asked)]).toEqual([asked.text, []]);
});
