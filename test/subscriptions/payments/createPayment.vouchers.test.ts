import { call, listen } from '../../support/client';
import { buyGift, redeemGift } from '../../support/boughtGifts';
import { cards, createFee, createItem, type Person, type Shop } from '../../support/factories';
import { lengthenBlocks } from '../../support/guesses';
import {
  createPayShop,
  findPaymentFaults,
  paid,
  pay,
  refund,
  refunded,
  settles,
  type SubmittedPayment,
} from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher } from '../../support/vouchers';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const usesOf = async (shop: Shop, code: string) => {
  const text = 'SELECT usage_counter::int AS uses FROM vouchers WHERE merchant_id = $1 AND code = $2';
  return (await app.pool.query<{ uses: number }>(text, [shop.merchant.id, code])).rows[0]?.uses;
};
const hasAccess = async ({ item }: Shop, person: Person) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, person)).status === 200;

describe('a voucher', () => {
  test('429 too_many_requests: codes are guessed as slowly here as by asking for the discount', async () => {
    const shop = await createPayShop(app);
    for (let time = 0; time < 6; time += 1) {
      if (time === 5) await lengthenBlocks(app);
      expect(await pay(app, shop, cards.success, { voucher_code: 'NOBODY-KNOWS' })).toMatchObject({ status: 404 });
    }
    const { code } = await createVoucher(app, shop.merchant);
    const blocked = await pay(app, shop, cards.success, { voucher_code: code });
    expect(blocked.status).toBe(429);
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('payment.card.success: takes its percent off the price, and nothing off the setup fee', async () => {
    const shop = await createPayShop(app, { setup_fee_amount: '1.00', setup_fee_description: 'Once' });
    const { code } = await createVoucher(app, shop.merchant, { discount: 10 });
    const channel = await listen(app, shop.consumer);
    const token = await paid(app, shop, cards.success, { voucher_code: code.toLowerCase() });
    const { resource } = await channel.hears('payment.card.success');
    await channel.close();
    expect(resource).toMatchObject({ amount: '5.05', full_amount: '5.50', discount_percent: 10, voucher_code: code });
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    expect(await usesOf(shop, code)).toBe(1);
  });

  test('payment.card.success: the voucher reduces the price by its amount; the event, the list and the receipt show it', async () => {
    const shop = await createPayShop(app);
    const fields = { discount: undefined, discount_amount: 1.5, discount_currency: 'EUR' };
    const { code } = await createVoucher(app, shop.merchant, fields);
    const channel = await listen(app, shop.consumer);
    const token = await paid(app, shop, cards.success, { voucher_code: code });
    const { resource } = await channel.hears('payment.card.success');
    await channel.close();
    expect(resource).toMatchObject({ amount: '3.00', full_amount: '4.50', discount_percent: 0, voucher_code: code });
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    const path = '/payments/transactions';
    const { body } = await call<{ collection: object[] }>(app, 'GET', path, undefined, shop.merchant);
    expect(body.collection).toMatchObject([
      { charged_amount: 3, voucher_code: code, voucher_discount: 0, voucher_discount_amount: 1.5 },
    ]);
  });

  test('200: of 100 % needs no card', async () => {
    const shop = await createPayShop(app);
    const { code } = await createVoucher(app, shop.merchant, { discount: 100 });
    const fields = { access_fee: shop.fee.id, voucher_code: code };
    const { body } = await call<SubmittedPayment>(app, 'POST', '/payments', fields, shop.consumer);
    await settles(app, body.transaction, 'paid');
    expect(await findPaymentFaults(app.pool, body.transaction)).toEqual([]);
    expect(await hasAccess(shop, shop.consumer)).toBe(true);
  });

  test('payment.card.failed: its use is free again', async () => {
    const shop = await createPayShop(app);
    const { code } = await createVoucher(app, shop.merchant, { discount: 10, usage_limit: 1 });
    const { body } = await pay(app, shop, cards.declined, { voucher_code: code });
    await settles(app, body.transaction, 'failed');
    await paid(app, shop, cards.success, { voucher_code: code });
    expect(await usesOf(shop, code)).toBe(1);
  });

  test('payment.refund.success: a whole refund gives the use back, a part does not', async () => {
    const shop = await createPayShop(app);
    const { code } = await createVoucher(app, shop.merchant, { discount: 10, usage_limit: 1 });
    const token = await paid(app, shop, cards.success, { voucher_code: code });
    await refund(app, shop.merchant, token, { amount: '1' });
    await refunded(app, token);
    expect(await usesOf(shop, code)).toBe(1);
    await refund(app, shop.merchant, token);
    await refunded(app, token, 2);
    expect(await usesOf(shop, code)).toBe(0);
  });
});

test('200: a gift is mailed to its receiver, who redeems it without a card, once', async () => {
  const gift = await buyGift(app);
  expect((await redeemGift(app, gift, gift.stranger)).status).toBe(404);
  const { body } = await redeemGift(app, gift, gift.receiver);
  await settles(app, body.transaction, 'paid');
  expect(await findPaymentFaults(app.pool, body.transaction)).toEqual([]);
  expect(await hasAccess(gift.shop, gift.receiver)).toBe(true);
  expect(await hasAccess(gift.shop, gift.shop.consumer)).toBe(false);
  expect((await refund(app, gift.shop.merchant, gift.token)).status).toBe(409);
});

describe('conditions of a voucher', () => {
  /** Another item, so that it is a different payment. */
  const anotherItem = async (shop: Shop): Promise<Shop> => {
    const item = await createItem(app, shop.merchant);
    const fee = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Two days' };
    return { ...shop, item, fee: await createFee(app, shop.merchant, item.id, fee) };
  };
  const refused = (error: string) => ({
    status: 422,
    body: { error, errors: { voucher_code: expect.any(String) as string } },
  });

  test('422 voucher_customer_limit: one use above the limit', async () => {
    const shop = await createPayShop(app);
    const { code } = await createVoucher(app, shop.merchant, { usage_limit_per_customer: 1 });
    await paid(app, shop, cards.success, { voucher_code: code });
    const reply = await pay(app, await anotherItem(shop), cards.success, { voucher_code: code });
    expect(reply).toMatchObject(refused('voucher_customer_limit'));
    expect(await usesOf(shop, code)).toBe(1);
  });

  test('422 voucher_new_customers_only: a customer who has paid before', async () => {
    const shop = await createPayShop(app);
    const { code } = await createVoucher(app, shop.merchant, { new_customers_only: true });
    await paid(app, shop);
    const reply = await pay(app, await anotherItem(shop), cards.success, { voucher_code: code });
    expect(reply).toMatchObject(refused('voucher_new_customers_only'));
    expect(await usesOf(shop, code)).toBe(0);
  });

  test('422 voucher_currency: an amount in another currency than the price', async () => {
    const shop = await createPayShop(app);
    const amount = { discount: undefined, discount_amount: 2, discount_currency: 'USD' };
    const { code } = await createVoucher(app, shop.merchant, amount);
    const reply = await pay(app, shop, cards.success, { voucher_code: code });
    expect(reply).toMatchObject(refused('voucher_currency'));
    expect(await usesOf(shop, code)).toBe(0);
  });
});
