import { call } from '../../support/client';
import { createFee, createShop, type Shop } from '../../support/factories';
import { startStory } from '../../support/reporting';
import { readSnapshot } from '../../support/snapshot';
import { startApp, type TestApp } from '../../support/startApp';

/** A charge keeps the name of what it sold, even if the plan of the subscription changes. */

let app: TestApp;
let shop: Shop;
let dearId: number;

const dayMs = 86_400_000;
/** More than three, because months that start on 28, 29, 30 and 31 January all end on 28 February. */
const daysUntilChange = 4;

// Paid, switched to a dearer plan that is paid at once, and charged again.
beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00', description: 'Basic' });
  const fields = { amount: '15.00', description: 'Premium' };
  dearId = (await createFee(app, shop.merchant, shop.item.id, fields)).id;
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  const story = await startStory(app, shop);
  const atMs = Date.now();
  const charge = { subscriptionId: story.id, attempt: 1 };
  await story.take('begin', atMs, 0);
  const changedMs = atMs + daysUntilChange * dayMs;
  const { priceSwitch } = await import('../../../src/subscriptions/lifecycle/switches.js');
  const { version } = await readSnapshot(story.id);
  const { agreed } = await priceSwitch({
    subscriptionId: story.id,
    version,
    atMs: changedMs,
    accessFeeId: dearId,
    mode: 'reset',
  });
  await chargeCycle({ ...charge, cycle: 2, amountMinor: 500, atMs: changedMs, ...(agreed && { agreed }) });
  await story.take('switch', changedMs, dearId);
  await chargeCycle({ ...charge, cycle: 3, amountMinor: 1500, atMs: changedMs + dayMs });
});

afterAll(() => app.stop());

interface Row {
  access_fee_description: string;
  trx_token: string;
  key: string;
  revenue: number;
  amount: number;
}

const list = async (path: string, token = shop.merchant.token) =>
  (await call<{ collection: Row[] }>(app, 'GET', path, undefined, { token })).body.collection;

test.each([
  ['/v2/accounting/payment-history', () => shop.consumer.token],
  ['/payments/transactions', () => shop.merchant.token],
])('after a switch of plan, %s names what was sold with each charge', async (path, token) => {
  const rows = await list(path, token());
  expect(rows.map((row) => row.access_fee_description)).toEqual(['Premium', 'Premium', 'Basic']);
});

test('so do receipts', async () => {
  const { findReceipt } = await import('../../../src/subscriptions/receipts.model.js');
  const tokens = (await list('/payments/transactions')).map(({ trx_token }) => trx_token);
  const receipts = await Promise.all(tokens.map((token) => findReceipt(shop.merchant.id, undefined, token)));
  expect(receipts.map((receipt) => receipt?.description)).toEqual(['Premium', 'Premium', 'Basic']);
});

test('so does the evidence in a dispute, with the time that was paid', async () => {
  const { getEvidenceFacts } = await import('../../../src/subscriptions/provider/disputes.model.js');
  const text = 'SELECT id FROM charges WHERE merchant_id = $1 ORDER BY id';
  const { rows } = await app.pool.query<{ id: number }>(text, [shop.merchant.id]);
  const facts = await Promise.all(rows.map(({ id }) => getEvidenceFacts(id)));
  expect(facts.map(({ planName }) => planName)).toEqual(['Basic', 'Premium', 'Premium']);
  const [basic, change] = facts;
  expect(basic?.accessFrom).toEqual(basic?.paidAt);
  expect(change?.accessFrom).toEqual(change?.paidAt);
  expect(change?.accessTo?.getTime()).toBeGreaterThan(basic?.accessTo?.getTime() ?? Infinity);
});

test('revenue by fee is the sum of the rows of each fee', async () => {
  const to = new Date(Date.now() + (daysUntilChange + 3) * dayMs).toISOString().slice(0, 10);
  const months = await list(`/reporting/revenue?group_by=fee&interval=month&to=${to}`);
  for (const [feeId, sum] of [
    [shop.fee.id, 10],
    [dearId, 20],
  ] as const) {
    const own = months.filter(({ key }) => key === String(feeId));
    expect(own.reduce((total, { revenue }) => total + revenue, 0)).toBe(sum);
    const rows = await list(`/reporting/transactions?access_fee_id=${feeId}`);
    expect(rows.reduce((total, { amount }) => total + amount, 0)).toBe(sum);
  }
});
