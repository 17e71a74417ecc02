import { call } from '../../support/client';
import { cards, createFee, createItem, type Shop } from '../../support/factories';
import { lengthenBlocks } from '../../support/guesses';
import { paid } from '../../support/payments';
import { createRedirectShop } from '../../support/redirects';
import { bornOn, manage, yearsAgo } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher } from '../../support/vouchers';

/** A purchase by PayPal is refused for the same reasons as one by card, and nothing begins. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const begin = ({ fee, consumer }: Shop, voucherCode?: string) => {
  const body = { origin: 'https://shop.example.org', access_fee: fee.id, payment_method: 2, voucher_code: voucherCode };
  return call(app, 'POST', '/external-payments', body, consumer);
};

const purchases = async ({ consumer }: Shop) => {
  const { rows } = await app.pool.query(`SELECT 1 FROM cards WHERE account_id = $1 AND method = 'paypal'`, [
    consumer.id,
  ]);
  return rows.length;
};

const refused = (error: string) => ({ status: 422, body: { error } });

async function anotherItem(shop: Shop): Promise<Shop> {
  const item = await createItem(app, shop.merchant);
  const terms = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50' };
  return { ...shop, item, fee: await createFee(app, shop.merchant, item.id, terms) };
}

test('402 access_restricted: who is too young buys nothing', async () => {
  const shop = await createRedirectShop(app, 'payment');
  await bornOn(app, shop.consumer, yearsAgo(17));
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 18 });
  expect(await begin(shop)).toMatchObject({ status: 402, body: { error: 'access_restricted' } });
  expect(await purchases(shop)).toBe(0);
});

test('422 voucher_currency: an amount in another currency than the price', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const amount = { discount: undefined, discount_amount: 2, discount_currency: 'USD' };
  const { code } = await createVoucher(app, shop.merchant, amount);
  expect(await begin(shop, code)).toMatchObject(refused('voucher_currency'));
  expect(await purchases(shop)).toBe(0);
});

test('422 voucher_customer_limit: one use above the limit', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const { code } = await createVoucher(app, shop.merchant, { usage_limit_per_customer: 1 });
  await paid(app, shop, cards.success, { voucher_code: code });
  expect(await begin(await anotherItem(shop), code)).toMatchObject(refused('voucher_customer_limit'));
});

test('422 voucher_new_customers_only: a customer who has paid before', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const { code } = await createVoucher(app, shop.merchant, { new_customers_only: true });
  await paid(app, shop);
  expect(await begin(await anotherItem(shop), code)).toMatchObject(refused('voucher_new_customers_only'));
});

test('429 too_many_requests: codes are guessed as slowly here as by asking for the discount', async () => {
  const shop = await createRedirectShop(app, 'payment');
  for (let time = 0; time < 6; time += 1) {
    if (time === 5) await lengthenBlocks(app);
    expect(await begin(shop, 'NOBODY-KNOWS')).toMatchObject({ status: 404 });
  }
  const { code } = await createVoucher(app, shop.merchant);
  expect((await begin(shop, code)).status).toBe(429);
});
