import { call } from '../support/client';
import { createConsumer, subscribe, reaches, type Shop } from '../support/factories';
import { createPayShop, paid, refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller, seller } from '../support/tax';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

interface Row {
  trx_token: string;
  action_type: string;
  charged_amount: number;
  net_amount: number;
  tax_amount: number;
  tax_rate: number;
  tax_country: string;
}

async function historyOf({ consumer }: Shop): Promise<Row[]> {
  const { body } = await call<{ collection: Row[] }>(app, 'GET', '/v2/accounting/payment-history', undefined, consumer);
  return body.collection;
}

const decided = async (shop: Shop) =>
  (
    await app.pool.query<{ treatment: string; country: string; evidence: object }>(
      'SELECT treatment, country, evidence FROM charge_taxes WHERE merchant_id = $1 ORDER BY charge_id',
      [shop.merchant.id],
    )
  ).rows;

test('a merchant without a tax profile has no tax, and the gross amount is the net amount', async () => {
  const shop = await createPayShop(app);
  await paid(app, shop);
  expect(await historyOf(shop)).toMatchObject([
    { charged_amount: 4.5, net_amount: 4.5, tax_amount: 0, tax_rate: 0, tax_country: '' },
  ]);
  expect(await decided(shop)).toEqual([]);
});

test('a payment includes the tax of its country, and refunds return it exactly', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const token = await paid(app, shop);
  expect(await historyOf(shop)).toMatchObject([
    { charged_amount: 4.5, net_amount: 3.78, tax_amount: 0.72, tax_rate: 19, tax_country: 'DE' },
  ]);
  for (const [index, amount] of [1.5, 1.5, 1.5].entries()) {
    expect((await refund(app, shop.merchant, token, { amount })).status).toBe(200);
    await refunded(app, token, index + 1);
  }
  const refunds = (await historyOf(shop)).filter(({ action_type: type }) => type === 'refund');
  expect(refunds).toHaveLength(3);
  expect(refunds.reduce((sum, { tax_amount: tax }) => sum + Math.round(tax * 100), 0)).toBe(72);
});

test('a first period of a business abroad has no tax: the customer accounts for it', async () => {
  const shop = await createPayShop(app, {
    access_type: 'subscription',
    access_period: { quantity: 1, period: 'month' },
  });
  await nameSeller(app, shop);
  const details = { country: 'AT', name: 'Wien GmbH', tax_number: 'ATU13585627' };
  expect((await call(app, 'PUT', '/v2/accounts/billing-details', details, shop.consumer)).status).toBe(200);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(await decided(shop)).toMatchObject([
    { treatment: 'reverse_charge', country: 'AT', evidence: { billing: 'AT' } },
  ]);
  expect((await historyOf(shop))[0]).toMatchObject({ tax_amount: 0, tax_country: 'AT' });
});

test('a decided tax does not change: not by later settings, and not in the database', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  await paid(app, shop);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'FR' }, shop.consumer);
  expect(await decided(shop)).toMatchObject([{ treatment: 'domestic', country: 'DE' }]);
  const change = app.pool.query('UPDATE charge_taxes SET rate_milli = 0 WHERE merchant_id = $1', [shop.merchant.id]);
  await expect(change).rejects.toThrow('a decided tax does not change');
});

test('sales of the last year in a country without a registration are listed as missing, also those that were refunded', async () => {
  const shop = await createPayShop(app);
  await call(app, 'PUT', '/v2/tax/settings', seller, shop.merchant);
  for (const consumer of [shop.consumer, await createConsumer(app, shop.merchant)]) {
    await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'US' }, consumer);
    const token = await paid(app, { ...shop, consumer });
    if (consumer === shop.consumer) await refund(app, shop.merchant, token);
  }
  await until(async () => (await historyOf(shop)).length === 2);
  const readMissing = async () =>
    (await call<{ missing: object[] }>(app, 'GET', '/v2/tax/settings', undefined, shop.merchant)).body.missing;
  const expected = { country: 'US', treatment: 'not_registered', sales: 2, amount: 9, currency_iso: 'EUR' };
  expect(await readMissing()).toMatchObject([expected]);
  await app.pool.query('SELECT fold_figures(1000000)');
  expect(await readMissing()).toMatchObject([expected]);
  await passDays(app, shop.merchant, 367);
  expect(await readMissing()).toEqual([]);
});
