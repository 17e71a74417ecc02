import { type Pool } from 'pg';
import { demoPlace, isFilled, reachesStep, removeDemo } from '../support/demoData';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { auditOf } from '../support/followers';
import { entriesOf, recognise } from '../support/journal';
import { enterConsole, type PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';
import { countsOf, figuresOf } from '../support/tableCounts';
import { nameSeller } from '../support/tax';

/** Demo data of an account is removed, and filled again. */

let app: TestApp;
let merchant: Person;
let walkers: PageWalker[];
let before: Record<string, number>;

/** Rows stay in the audit log, in the list of what was removed, in the clock, and in what counts numbers and mails. */
const staying = ['audit_chains', 'audit_log', 'demo_fills', 'demo_rows', 'test_clocks'];
const counters = ['channels', 'invoice_sequences', 'mail_uses'];

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  merchant = await createMerchant(app);
  await nameSeller(app, { merchant });
  await createConsumer(app, await createMerchant(app));
  walkers = await Promise.all([1, 2, 3].map(() => enterConsole(app, merchant.email)));
  before = await countsOf(app.pool, [...staying, ...counters]);
  await walkers[0]?.open(demoPlace);
  await walkers[0]?.submit(demoPlace);
  await isFilled(app, merchant.id);
  await recognise(app.pool, merchant.id, '2100-01-01');
});
afterAll(() => app.stop());

const tokensOf = async (pool: Pool) =>
  (await pool.query<{ token: string }>('SELECT token FROM subscriptions WHERE merchant_id = $1', [merchant.id])).rows;
const stateOf = async (pool: Pool) =>
  (await pool.query<{ state: string }>('SELECT state FROM demo_fills WHERE merchant_id = $1', [merchant.id])).rows;
/** The rows that no run of a subscription adds to. */
const madeRows = async () => {
  const { items, access_fees: fees, accounts, subscriptions, payments, demo_rows: rows } = await countsOf(app.pool);
  return { items, fees, accounts, subscriptions, payments, rows };
};
const removals = async () => (await auditOf(app, merchant)).filter(({ action }) => action === 'demo_data.remove');
const open = (walker: PageWalker) => walker.open(demoPlace);

test.each(['journal_entries', 'mrr_movements', 'invoices', 'charge_taxes', 'refund_taxes'])(
  'rows of %s cannot be deleted while nobody removes demo data',
  async (table) => {
    const text = `DELETE FROM ${table} WHERE merchant_id = $1`;
    expect((await app.pool.query(`SELECT FROM ${table} WHERE merchant_id = $1`, [merchant.id])).rowCount).not.toBe(0);
    await expect(app.pool.query(text, [merchant.id])).rejects.toThrow(/only grows|does not change/);
  },
);

test('500, then 303: a removal that fails half-way deletes nothing, and a second press completes it', async () => {
  const [walker = await enterConsole(app, merchant.email)] = walkers;
  const full = await madeRows();
  const tokens = await tokensOf(app.pool);
  await app.pool
    .query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
    CREATE TRIGGER fail BEFORE DELETE ON items FOR EACH STATEMENT EXECUTE FUNCTION fail()`);
  await open(walker);
  expect((await removeDemo(walker)).status).toBe(500);
  await app.pool.query('DROP TRIGGER fail ON items');
  expect(await madeRows()).toEqual(full);
  const { text } = await open(walker);
  expect(text).toContain('The removal is not complete. Press the button again to complete it.');

  // Two people press at once.
  for (const each of walkers) await open(each);
  const answers = await Promise.all(walkers.map(removeDemo));
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
  expect((await open(walker)).text).toContain('The demo data was removed.');
  expect(await countsOf(app.pool, [...staying, ...counters])).toEqual(before);
  expect(await figuresOf(app.pool, merchant.id)).toEqual([]);
  expect(await entriesOf(app.pool, merchant.id)).toEqual([]);
  expect(await removals()).toMatchObject([{ actor_account_id: merchant.id, object_type: 'demo_data' }]);

  const { workflowRuns } = await import('../../src/adapters/temporal.js');
  const running = await Promise.all(tokens.map(({ token }) => workflowRuns(`subscription-${token}`)));
  expect([running.length, running.filter(Boolean).length]).toEqual([21, 0]);
  expect((await app.pool.query('SELECT FROM rows_behind')).rowCount).toBe(0);
});

test('303: a press after the removal changes nothing', async () => {
  const [walker = await enterConsole(app, merchant.email)] = walkers;
  expect((await open(walker)).text).not.toContain(`${demoPlace}/remove`);
  await walker.open('/console');
  expect((await removeDemo(walker)).status).toBe(303);
  expect(await removals()).toHaveLength(1);
});

test('303: the empty account is filled again, and a press during the filling removes nothing', async () => {
  const [walker = await enterConsole(app, merchant.email)] = walkers;
  await open(walker);
  await walker.submit(demoPlace);
  await reachesStep(app, merchant.id, 1);
  expect((await removeDemo(walker)).status).toBe(303);
  expect(await stateOf(app.pool)).toEqual([{ state: 'running' }]);
  await isFilled(app, merchant.id);
  expect([(await open(walker)).text.includes('Your account has demo data.'), (await removals()).length]).toEqual([
    true,
    1,
  ]);
  expect(await tokensOf(app.pool)).toHaveLength(21);
  expect((await removeDemo(walker)).status).toBe(303);
  expect(await countsOf(app.pool, [...staying, ...counters])).toEqual(before);
});
