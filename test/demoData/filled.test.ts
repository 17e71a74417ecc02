import { call } from '../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../support/chromium';
import { consoleVisitor } from '../support/consoleVisitor';
import { askForDemoData, demoPlace, isFilled } from '../support/demoData';
import { createMerchant, type Person } from '../support/factories';
import { auditOf } from '../support/followers';
import { journalFaults, moneyInJournal } from '../support/journal';
import { type PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';

/** An account that was filled with demo data. */

let app: TestApp;
let merchant: Person;
let other: Person;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  merchant = await createMerchant(app);
  other = await createMerchant(app);
  walker = await askForDemoData(app, merchant.email);
  await isFilled(app, merchant.id);
});
afterAll(() => app.stop());

interface List {
  total: number;
  collection: Record<string, unknown>[];
}

async function list(path: string, person = merchant): Promise<List> {
  const { status, body } = await call<List>(app, 'GET', path, undefined, person);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

const countBy = (rows: List['collection'], name: string) => {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[String(row[name])] = (counts[String(row[name])] ?? 0) + 1;
  return counts;
};

test('there are items with prices of each kind, and a voucher that customers have used', async () => {
  const { collection } = await list('/v2/items');
  const titles = ['Cup final, live', 'Archive since 1950', 'The Daily, digital'];
  expect(collection.map(({ title }) => title)).toEqual(titles);
  expect((await list('/vouchers')).collection).toMatchObject([{ code: 'WELCOME20', discount: 20 }]);
  const uses = await app.pool.query('SELECT FROM voucher_uses WHERE merchant_id = $1', [merchant.id]);
  expect(uses.rowCount).toBe(3);
});

test('there are customers, whose addresses belong to nobody', async () => {
  const { total, collection } = await list('/accounts/registered-users?limit=100');
  expect(total).toBe(26);
  expect(collection.filter(({ email }) => !String(email).endsWith('@example.com'))).toEqual([]);
});

test('there are subscriptions in every state', async () => {
  const { collection } = await list('/subscriptions?limit=100');
  expect(countBy(collection, 'status')).toEqual({
    active: 14,
    trialing: 1,
    past_due: 1,
    paused: 1,
    canceled: 2,
    expired: 1,
    incomplete_expired: 1,
  });
});

test('there are payments of every month, refunds, failed payments, and a gift', async () => {
  const { collection } = await list('/payments/transactions?limit=200');
  expect(countBy(collection, 'action_type')).toMatchObject({ refund: 3, 'free-trial': 2 });
  const months = new Set(collection.map((row) => String(row['created_at']).slice(0, 7)));
  expect(months.size).toBeGreaterThanOrEqual(12);
  const failed = await app.pool.query(`SELECT FROM charges WHERE merchant_id = $1 AND status = 'declined'`, [
    merchant.id,
  ]);
  expect(failed.rowCount).toBeGreaterThanOrEqual(3);
  expect((await list('/vouchers/gifts')).total).toBe(1);
});

test('the books agree with the ledgers and the reports', async () => {
  expect(await journalFaults(app.pool, merchant.id)).toEqual([]);
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const { body } = await call<{ now: number }>(app, 'GET', '/test-clock', undefined, merchant);
  const range = `from=${day(Date.now() - 86_400_000)}&to=${day(body.now * 1000)}`;
  const summary = await list(`/reporting/summary?${range}`);
  const money = await moneyInJournal(app.pool, merchant.id);
  expect(summary.collection).toMatchObject([{ currency: 'EUR', revenue: money?.revenue, refunds: money?.refunds }]);
});

test('the clock of the merchant is a year ahead', async () => {
  const { body } = await call<{ ahead: number }>(app, 'GET', '/test-clock', undefined, merchant);
  expect(Math.ceil(body.ahead / 86_400)).toBe(365);
});

test('303: a press after the filling changes nothing', async () => {
  expect((await walker.submit(demoPlace)).status).toBe(303);
  expect((await walker.open(demoPlace)).text).toContain('Your account has demo data.');
  expect((await list('/v2/items')).total).toBe(3);
  const asked = (await auditOf(app, merchant)).filter(({ action }) => action === 'demo_data.create');
  expect(asked).toMatchObject([{ actor_account_id: merchant.id }]);
});

test('another merchant has nothing of it', async () => {
  for (const path of [
    '/v2/items',
    '/accounts/registered-users',
    '/subscriptions',
    '/payments/transactions',
    '/vouchers',
  ])
    expect([path, (await list(path, other)).total]).toEqual([path, 0]);
  const { body } = await call<{ ahead: number }>(app, 'GET', '/test-clock', undefined, other);
  expect(body.ahead).toBe(0);
});

describeInBrowser('the pages of demo data', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('are full, accessible, and fit a phone', async () => {
    const visitor = await chromium.newVisitor();
    const { open, enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    await enter((await createMerchant(app)).email);
    expect(await faultsOf(visitor, 'demo-offer')).toEqual([]);
    await visitor.context.clearCookies();
    await enter(merchant.email);
    await visitor.page.getByRole('link', { name: '1 overdue payment' }).waitFor();
    expect(await faultsOf(visitor, 'demo-overview')).toEqual([]);
    await open(demoPlace);
    expect(await faultsOf(visitor, 'demo-done')).toEqual([]);
    await visitor.context.close();
  });
});
