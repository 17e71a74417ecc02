import type * as Charges from '../../src/subscriptions/charges/charges';
import type * as Endings from '../../src/subscriptions/lifecycle/endings';
import type * as Lifecycle from '../../src/subscriptions/lifecycle/lifecycle';
import type * as Periods from '../../src/subscriptions/lifecycle/periods';
import type * as Switches from '../../src/subscriptions/lifecycle/switches';
import { type SwitchMode } from '../../workflows/messages';
import { call } from '../support/client';
import { createFee, createShop, type Shop } from '../support/factories';
import { mailsTo } from '../support/ledger';
import { giveTrial } from '../support/scenarios';
import { beginTrial, startStory, type Story } from '../support/reporting';
import { readSnapshot } from '../support/snapshot';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher } from '../support/vouchers';

/** The price of a plan change with vouchers, trials and pauses, and its events. */

let app: TestApp;
let charges: typeof Charges;
let endings: typeof Endings;
let lifecycle: typeof Lifecycle;
let periods: typeof Periods;
let switches: typeof Switches;

// No worker runs here: the steps are called by hand.
beforeAll(async () => {
  app = await startApp();
  charges = await import('../../src/subscriptions/charges/charges.js');
  endings = await import('../../src/subscriptions/lifecycle/endings.js');
  lifecycle = await import('../../src/subscriptions/lifecycle/lifecycle.js');
  periods = await import('../../src/subscriptions/lifecycle/periods.js');
  switches = await import('../../src/subscriptions/lifecycle/switches.js');
});

afterAll(() => app.stop());

type Fee = Shop['fee'];

const run = { runId: 'a-run' };
const dayMs = 86_400_000;
const inDays = (days: number) => Date.now() + days * dayMs;

const shopAt = (amount = '10.00') => createShop(app, { amount });
const feeOf = ({ merchant, item }: Shop, fields: Record<string, unknown>): Promise<Fee> =>
  createFee(app, merchant, item.id, fields);

async function begin(shop: Shop, voucher?: Record<string, unknown>): Promise<Story> {
  const code = voucher && (await createVoucher(app, shop.merchant, voucher)).code;
  const story = await startStory(app, shop, code === undefined ? {} : { code });
  await story.take('begin', Date.now(), 0);
  return story;
}

async function stepOf({ id }: Story, atMs = Date.now()) {
  const { version } = await readSnapshot(id);
  return { subscriptionId: id, version, atMs };
}

async function charge({ id: subscriptionId }: Story, amountMinor: number): Promise<void> {
  const { cycle } = await readSnapshot(subscriptionId);
  await charges.chargeCycle({ subscriptionId, cycle: cycle + 1, attempt: 1, amountMinor });
}

/** Takes the steps of the run, and returns the charged amount. */
async function change(story: Story, fee: Fee, mode?: SwitchMode): Promise<number> {
  const input = { ...(await stepOf(story)), accessFeeId: fee.id, ...(mode && { mode }) };
  const { amountMinor, agreed } = await switches.priceSwitch(input);
  if (amountMinor > 0) await charge(story, amountMinor);
  await switches.switchPlan({ ...input, ...(agreed && { agreed }) }, run);
  return amountMinor;
}

const preview = (shop: Shop, { token }: Story, fee: Fee) =>
  call(app, 'POST', `/subscriptions/${token}/switch:preview`, { access_fee_id: fee.id }, shop.consumer);

/** The latest event of a type about a subscription. */
async function told({ token }: Story, type: string) {
  const text = `SELECT resource FROM events WHERE type = $1 AND dedupe_key LIKE $2
    ORDER BY sequence DESC LIMIT 1`;
  return (await app.pool.query<{ resource: unknown }>(text, [type, `${token}:%`])).rows[0]?.resource;
}

test('another interval: a voucher for the first charge is used up with that', async () => {
  const shop = await shopAt();
  const story = await begin(shop, { discount: 100 });
  expect(await change(story, await feeOf(shop, { amount: '96.00', period: 'year' }))).toBe(9600);
  expect(await story.row()).toMatchObject({ charges: 2, price: 9600 });
});

test('reset: each period that is begun anew is one of the charges that a voucher discounts', async () => {
  const shop = await shopAt();
  const dear = await feeOf(shop, { amount: '20.00' });
  const story = await begin(shop, { discount: 50, discount_period: 'repeating', discount_duration: 3 });
  const charged = [];
  for (const fee of [dear, shop.fee, dear]) charged.push(await change(story, fee, 'reset'));
  expect(charged).toEqual([500, 0, 1500]);
  expect(await story.row()).toMatchObject({ charges: 4 });
});

test('now: the rest of a period is still of the charge that the voucher discounted', async () => {
  const shop = await shopAt();
  const story = await begin(shop, { discount: 50 });
  expect(await change(story, await feeOf(shop, { amount: '20.00' }), 'now')).toBe(500);
  expect(await story.row()).toMatchObject({ charges: 1, percent: 50 });
});

describe('a voucher for one fee', () => {
  const forFee = (...fees: Fee[]) => ({
    discount: 50,
    discount_period: 'forever',
    rules: fees.map(({ id }) => ({ rule_type: 'access_fees', value: id })),
  });

  test('now: another one costs its price, and the voucher is over', async () => {
    const shop = await shopAt();
    const story = await begin(shop, forFee(shop.fee));
    const dear = await feeOf(shop, { amount: '20.00' });
    expect((await preview(shop, story, dear)).body).toMatchObject({ total: 15 });
    expect(await change(story, dear)).toBe(1500);
    expect(await story.row()).toMatchObject({ price: 2000, percent: null });
  });

  test('next_period: the period of the other one costs its price', async () => {
    const shop = await shopAt();
    const story = await begin(shop, forFee(shop.fee));
    expect(await change(story, await feeOf(shop, { amount: '4.00' }))).toBe(0);
    const begun = await periods.beginPeriod(await stepOf(story, inDays(31)), run);
    expect(begun.dueMinor).toBe(400);
    expect(await story.row()).toMatchObject({ price: 400, percent: null });
  });

  test('now: it goes on where it is for the other one too', async () => {
    const shop = await shopAt();
    const dear = await feeOf(shop, { amount: '20.00' });
    const story = await begin(shop, forFee(shop.fee, dear));
    expect(await change(story, dear)).toBe(500);
    expect(await story.row()).toMatchObject({ price: 2000, percent: 50 });
  });
});

describe('switch:preview in a trial', () => {
  async function beginFree(): Promise<{ shop: Shop; story: Story }> {
    const shop = await shopAt();
    await giveTrial(app, shop.fee.id, [7, 'day']);
    const story = await startStory(app, shop);
    await beginTrial(story);
    return { shop, story };
  }

  test('the first charge is shown where the new plan ends the trial, and it is what is charged', async () => {
    const { shop, story } = await beginFree();
    const dear = await feeOf(shop, { amount: '20.00', description: 'Gold' });
    const { body } = await preview(shop, story, dear);
    expect(body).toMatchObject({ lines: [{ description: 'Gold', amount: 20 }], total: 20, balance: 0 });
    expect(await change(story, dear)).toBe(0);
    expect((await periods.beginPeriod(await stepOf(story), run)).dueMinor).toBe(2000);
  });

  test('nothing is due before the new trial’s end, and that is the day', async () => {
    const { shop, story } = await beginFree();
    const dear = await feeOf(shop, { amount: '20.00' });
    await giveTrial(app, dear.id, [14, 'day']);
    const { body } = await preview(shop, story, dear);
    await lifecycle.startTrial(story.id, run);
    const snapshot = await readSnapshot(story.id);
    const date = ((snapshot.trial?.startMs ?? 0) + 14 * dayMs) / 1000;
    expect(body).toMatchObject({ lines: [], total: 0, date: Math.floor(date) });
  });

  test('subscribe.success: the trial’s end is when the first charge comes', async () => {
    const { shop, story } = await beginFree();
    const row = (await call<Row>(app, 'GET', `/subscriptions/${story.token}`, undefined, shop.consumer)).body;
    expect(row.next_rebill_date).toBe(row.trial_end);
    expect(await told(story, 'subscribe.success')).toMatchObject({ next_rebill_date: row.trial_end });
  });
});

interface Row {
  trial_end: number;
  next_rebill_date: number;
}

test('404 access_fee_not_found: a plan that is sold no more, or not to the subscriber’s country', async () => {
  const shop = await shopAt();
  const story = await begin(shop);
  const retired = await feeOf(shop, { amount: '5.00' });
  await app.pool.query('UPDATE access_fees SET retired_at = now() WHERE id = $1', [retired.id]);
  const foreign = await feeOf(shop, { amount: '5.00', country_iso: 'mk', restriction_type: 'whitelist' });
  for (const fee of [retired, foreign]) {
    const { status, body } = await preview(shop, story, fee);
    expect([status, body]).toMatchObject([404, { error: 'access_fee_not_found' }]);
  }
  const sold = await feeOf(shop, { amount: '5.00' });
  expect((await preview(shop, story, sold)).status).toBe(200);
  await app.pool.query('UPDATE items SET is_active = false WHERE id = $1', [shop.item.id]);
  expect((await preview(shop, story, sold)).status).toBe(404);
});

test('a plan that waited for the period’s end begins with the resumption, if there was a pause between', async () => {
  const shop = await shopAt();
  const story = await begin(shop);
  await change(story, await feeOf(shop, { amount: '96.00', period: 'year' }), 'now');
  await change(story, await feeOf(shop, { amount: '48.00', period: 'year' }));
  await story.take('pause', inDays(370), 0);
  const priced = await periods.priceResumption(await stepOf(story, inDays(400)), run);
  expect(priced.dueMinor).toBe(4800);
  const text = 'SELECT pending_access_fee_id AS pending, price_minor::int AS price FROM subscriptions WHERE id = $1';
  expect((await app.pool.query(text, [story.id])).rows).toEqual([{ pending: null, price: 4800 }]);
});

test('a plan that somebody waits for keeps its price: a change of it is another fee', async () => {
  const shop = await shopAt();
  const story = await begin(shop);
  const cheap = await feeOf(shop, { amount: '4.00' });
  await change(story, cheap);
  const dearer = { access_type: 'subscription', quantity: 1, period: 'month', amount: '9.00', currency: 'EUR' };
  const path = `/v2/items/${shop.item.id}/access-fees/${cheap.id}`;
  const { status, body } = await call<Fee>(app, 'PUT', path, { ...dearer, description: 'Basic' }, shop.merchant);
  expect(status).toBe(201);
  expect(body.id).not.toBe(cheap.id);
  expect((await periods.beginPeriod(await stepOf(story, inDays(31)), run)).dueMinor).toBe(400);
});

test('subscribe.past_due and subscribe.expired: amount, full amount and discount are of one charge', async () => {
  const shop = await shopAt();
  const story = await begin(shop, { discount: 50 });
  await story.take('lapse', inDays(31), 0);
  const pastDue = { amount: '10.00', full_amount: '10.00', discount_percent: 0 };
  expect(await told(story, 'subscribe.past_due')).toMatchObject(pastDue);
  const other = await begin(await shopAt(), { discount: 50 });
  await other.take('revoke', inDays(1), 0);
  const ended = { amount: '5.00', full_amount: '10.00', discount_percent: 50 };
  expect(await told(other, 'subscribe.expired')).toMatchObject(ended);
});

test('subscribe.cancelled.success: nothing is charged, so nothing is taken off', async () => {
  const story = await begin(await shopAt(), { discount: 50 });
  await endings.turnRenewal({ ...(await stepOf(story)), autoRenew: false, reason: '' }, run);
  const nothing = { amount: '0.00', full_amount: '0.00', discount_percent: 0 };
  expect(await told(story, 'subscribe.cancelled.success')).toMatchObject(nothing);
  const renewed = await endings.turnRenewal({ ...(await stepOf(story)), autoRenew: true, reason: '' }, run);
  const next_rebill_date = Math.floor(renewed.periodEndMs / 1000);
  expect(await told(story, 'subscribe.updated')).toMatchObject({ ...nothing, next_rebill_date });
});

test('subscribe.updated: a change that was paid has its receipt, and the event names the new plan', async () => {
  const shop = await shopAt();
  const story = await begin(shop);
  await change(story, await feeOf(shop, { amount: '20.00', description: 'Gold' }));
  expect(await mailsTo(app, shop.consumer.id)).toEqual(['receipt', 'receipt']);
  expect(await told(story, 'subscribe.updated')).toMatchObject({ amount: '10.00', description: 'Gold' });
  await change(story, await feeOf(shop, { amount: '4.00' }), 'now');
  expect(await mailsTo(app, shop.consumer.id)).toHaveLength(2);
});

test('next_billing_date: while a pause is planned nothing is billed next', async () => {
  const shop = await shopAt();
  const story = await begin(shop);
  await periods.planPause({ ...(await stepOf(story)), pauses: true }, run);
  const { body } = await call<Row>(app, 'GET', `/subscriptions/${story.token}`, undefined, shop.consumer);
  expect(body.next_rebill_date).toBe(0);
  expect(await told(story, 'subscribe.updated')).toMatchObject({ next_rebill_date: 0 });
});
