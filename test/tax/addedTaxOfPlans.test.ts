import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call, requestChange } from '../support/client';
import { balanceOf } from '../support/balances';
import { createOffer, type Shown } from '../support/cancelOffers';
import { cards, createFee, reaches, subscribe, type Shop } from '../support/factories';
import { journalFaults } from '../support/journal';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller, taxedCharges } from '../support/tax';
import { failToRenew, passDays } from '../support/testClock';
import { until } from '../support/until';

/** Renewals, retries and plan changes of subscriptions, most of them with prices without tax. The rate changes after 33 days. */

let app: TestApp;

beforeAll(async () => {
  const change = new Date(Date.now() + 33 * 86_400_000).toISOString().slice(0, 10);
  const file = path.join(tmpdir(), `added-rates-${process.pid}.txt`);
  writeFileSync(file, `DE standard 2018-01-01 19\nDE standard ${change} 21\n`);
  app = await startApp({ TAX_RATES_FILE: file });
  await app.startWorker();
});

afterAll(() => app.stop());

const monthly = { access_type: 'subscription', quantity: 1, period: 'month' };
const home = [{ country: 'DE', scheme: 'domestic', number: '' }];

async function subscribed(fields: Record<string, unknown>, card?: string): Promise<{ shop: Shop; id: string }> {
  const shop = await createPayShop(app, { ...monthly, amount: '10.00' });
  await nameSeller(app, shop, home, fields);
  const { body } = await subscribe(app, shop, card);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return { shop, id: body.subscription_id };
}

const net = { prices_include_tax: false };

test('a retry keeps the amount and the rate of its period, and the next period has the new rate', async () => {
  const { shop, id } = await subscribed(net, cards.declinedOnceAtRenewal);
  await failToRenew(app, shop, id);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'GB' }, shop.consumer);
  await passDays(app, shop.merchant, 5);
  await reaches(app, shop.consumer, id, 'active');
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'DE' }, shop.consumer);
  await passDays(app, shop.merchant, 28);
  const charges = await until(async () => {
    const rows = await taxedCharges(app, shop.merchant);
    return rows.filter(({ status }) => status === 'paid').length === 3 && rows;
  });
  expect(charges).toMatchObject([
    { cycle: 1, status: 'paid', net: 1000, tax: 190, gross: 1190 },
    { cycle: 2, status: 'declined', net: 1000, tax: 190, gross: 1190 },
    { cycle: 2, status: 'paid', net: 1000, tax: 190, gross: 1190, country: 'DE' },
    { cycle: 3, net: 1000, tax: 210, gross: 1210 },
  ]);
});

test('a retry of a price that includes tax has the rate of its period too', async () => {
  const shop = await createPayShop(app, { ...monthly, amount: '10.00' });
  await nameSeller(app, shop, home, {});
  // The rate changes between the renewal, after a month, and its retry.
  const settings = { grace_days: 7, retry_days: [5, 10] };
  expect((await call(app, 'PUT', '/accounts/settings', settings, shop.merchant)).status).toBe(200);
  const { body } = await subscribe(app, shop, cards.declinedOnceAtRenewal);
  const id = body.subscription_id;
  await reaches(app, shop.consumer, id, 'active');
  await failToRenew(app, shop, id);
  await passDays(app, shop.merchant, 6);
  await reaches(app, shop.consumer, id, 'active');
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([
    { cycle: 1, status: 'paid', net: 840, tax: 160, gross: 1000, rate: 19_000 },
    { cycle: 2, status: 'declined', net: 840, tax: 160, gross: 1000, rate: 19_000 },
    { cycle: 2, status: 'paid', net: 840, tax: 160, gross: 1000, rate: 19_000 },
  ]);
});

test('an upgrade credits a share of what was paid, and adds the tax to the new price', async () => {
  const { shop, id } = await subscribed(net);
  const gold = await createFee(app, shop.merchant, shop.item.id, { ...monthly, amount: '20.00', description: 'Gold' });
  const body = { access_fee_id: gold.id, mode: 'reset' };
  const preview = await call(app, 'POST', `/subscriptions/${id}/switch:preview`, body, shop.consumer);
  expect(preview.body).toMatchObject({
    lines: [{ amount: -11.9 }, { description: 'Gold', amount: 23.8 }],
    ...{ total: 11.9, net_amount: 10, tax_amount: 1.9, tax_rate: 19 },
  });
  expect((await requestChange(app, 'POST', `/subscriptions/${id}/switch`, body, shop.consumer)).status).toBe(200);
  const [, switched] = await taxedCharges(app, shop.merchant);
  expect(switched).toMatchObject({ status: 'paid', net: 1000, tax: 190, gross: 1190 });
  const { rows } = await app.pool.query('SELECT paid_minor::int AS paid FROM subscriptions WHERE token = $1', [id]);
  expect(rows).toEqual([{ paid: 2380 }]);
  expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
});

test('a downgrade now gives credit with the tax that was paid, which the next charge uses', async () => {
  const { shop, id } = await subscribed(net);
  const basic = await createFee(app, shop.merchant, shop.item.id, { ...monthly, amount: '4.00', description: 'Basic' });
  const body = { access_fee_id: basic.id, mode: 'reset' };
  expect((await requestChange(app, 'POST', `/subscriptions/${id}/switch`, body, shop.consumer)).status).toBe(200);
  expect(await balanceOf(app, shop.consumer.id)).toBe(1190 - 476);
  const { rows } = await app.pool.query('SELECT tax_minor::int AS tax FROM customer_balances WHERE account_id = $1', [
    shop.consumer.id,
  ]);
  expect(rows).toEqual([{ tax: 114 }]);
  expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
});

test('a subscription keeps what it was bought with, in its renewals and with another plan', async () => {
  const [before, after] = [await subscribed({}), await subscribed(net)];
  await nameSeller(app, before.shop, home, net);
  await nameSeller(app, after.shop, home, { prices_include_tax: true });
  for (const { shop, id } of [before, after]) {
    const gold = await createFee(app, shop.merchant, shop.item.id, { ...monthly, amount: '20.00' });
    const body = { access_fee_id: gold.id, mode: 'next_period' };
    expect((await requestChange(app, 'POST', `/subscriptions/${id}/switch`, body, shop.consumer)).status).toBe(200);
    await passDays(app, shop.merchant, 31.5);
    await until(async () => (await taxedCharges(app, shop.merchant))[1]?.status === 'paid');
  }
  const [inclusive, exclusive] = [
    await taxedCharges(app, before.shop.merchant),
    await taxedCharges(app, after.shop.merchant),
  ];
  expect(inclusive).toMatchObject([{ gross: 1000 }, { gross: 2000, tax: 319 }]);
  expect(exclusive).toMatchObject([{ gross: 1190 }, { gross: 2380, tax: 380 }]);
});

test('an offer before a cancellation, and a paused subscription, tell the tax of the day of the charge', async () => {
  const { shop, id } = await subscribed(net);
  await createOffer(app, shop.merchant, { kind: 'discount', percent: 50, charges: 2 });
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'GB' }, shop.consumer);
  const path = `/subscriptions/${id}`;
  const offer = await call<Shown>(app, 'POST', `/v2${path}/cancel-offer`, {}, shop.consumer);
  expect(offer).toMatchObject({ status: 200, body: { amount: 5 } });
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'DE' }, shop.consumer);
  expect((await requestChange(app, 'POST', `${path}/pause`, {}, shop.consumer)).status).toBe(200);
  await passDays(app, shop.merchant, 32);
  await reaches(app, shop.consumer, id, 'paused');
  await passDays(app, shop.merchant, 10);
  expect((await call(app, 'GET', path, undefined, shop.consumer)).body).toMatchObject({ next_amount: 12.1 });
});

test('a plan for the next period leaves the amount of the last charge, and purchases say that tax was added', async () => {
  const { shop, id } = await subscribed(net);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'GB' }, shop.consumer);
  const basic = await createFee(app, shop.merchant, shop.item.id, { ...monthly, amount: '4.00', description: 'Basic' });
  const body = { access_fee_id: basic.id, mode: 'next_period' };
  expect((await requestChange(app, 'POST', `/subscriptions/${id}/switch`, body, shop.consumer)).status).toBe(200);
  const row = await call(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer);
  expect(row.body).toMatchObject({ charged_amount: 11.9, tax_behavior: 'exclusive' });
  const bought = await call(app, 'GET', '/items/access/customers', undefined, shop.consumer);
  expect(bought.body).toMatchObject({ collection: [{ purchased_amount: 10, tax_behavior: 'exclusive' }] });
});
