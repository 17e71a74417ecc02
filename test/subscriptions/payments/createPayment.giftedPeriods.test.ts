import { buyGift } from '../../support/boughtGifts';
import { call } from '../../support/client';
import { purchase, reaches, type Submitted } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { createPayShop, findPaymentFaults, pay } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

/** The first period of a subscription as a gift: it is paid once, and its receiver starts it. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const monthly = { access_type: 'subscription', quantity: 1, period: 'month', amount: '9.00', setup_fee_amount: '1.00' };

const redeem = (gift: Awaited<ReturnType<typeof buyGift>>, fields: Record<string, unknown> = {}) =>
  call<Submitted>(
    app,
    'POST',
    '/subscriptions',
    { access_fee: gift.shop.fee.id, voucher_code: gift.code, ...fields },
    gift.receiver,
  );

test('payment.card.success: charged once, with the setup fee, and opens nothing to its buyer', async () => {
  const gift = await buyGift(app, { fee: monthly });
  const { shop, token } = gift;
  const text = `SELECT charged_minor::int AS charged, access_type FROM payments WHERE token = $1`;
  const { rows } = await app.pool.query<{ charged: number; access_type: string }>(text, [token]);
  expect(rows).toEqual([{ charged: 1000, access_type: 'subscription' }]);
  expect((await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer)).status).toBe(402);
  expect((await app.pool.query('SELECT FROM subscriptions WHERE account_id = $1', [shop.consumer.id])).rowCount).toBe(
    0,
  );
  await passDays(app, shop.merchant, 40);
  expect(await findPaymentFaults(app.pool, token)).toEqual([]);
});

test('202: redeemed without a card it ends after the period', async () => {
  const gift = await buyGift(app, { fee: monthly });
  const { body } = await redeem(gift);
  await reaches(app, gift.receiver, body.subscription_id, 'active');
  await passDays(app, gift.shop.merchant, 32);
  await reaches(app, gift.receiver, body.subscription_id, 'canceled');
});

test('202: redeemed with a card it is renewed at the price, once the gift is used', async () => {
  const gift = await buyGift(app, { fee: monthly });
  const { number, card_name, exp_month, exp_year, cvv } = purchase(gift.shop);
  const { body } = await redeem(gift, { number, card_name, exp_month, exp_year, cvv });
  await reaches(app, gift.receiver, body.subscription_id, 'active');
  await passDays(app, gift.shop.merchant, 32);
  const charges = await until(async () => {
    const made = await chargesOf(app, body.subscription_id);
    return made.length > 1 && made.every(({ status }) => status === 'paid') && made;
  });
  expect(charges.map(({ amount, status }) => [amount, status])).toEqual([
    [0, 'paid'],
    [900, 'paid'],
  ]);
});

test('422 invalid_input: for oneself a subscription is not a payment', async () => {
  const shop = await createPayShop(app, monthly);
  expect(await pay(app, shop)).toMatchObject({
    status: 422,
    body: { errors: { access_fee: expect.any(String) as string } },
  });
});
