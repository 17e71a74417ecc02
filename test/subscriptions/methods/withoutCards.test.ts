import { call, requestChange } from '../../support/client';
import { pathOf, signedInAt } from '../../support/checkout';
import { accounts, charged, createMandate } from '../../support/debits';
import { createShop, reaches, type Shop, type Submitted } from '../../support/factories';
import { createPayShop, settles, type SubmittedPayment } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';
import { createVoucher } from '../../support/vouchers';

/** A merchant without cards: what needs no payment needs no method, and what needs one names it. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const takeDebitsOnly = ({ merchant }: Shop) =>
  call(app, 'PUT', '/accounts/settings', { payment_methods: ['direct_debit'] }, merchant);

async function createTrialShop(behaviour?: 'cancel' | 'pause'): Promise<Shop> {
  const shop = await createShop(app, {
    trial_period_quantity: '7',
    trial_period_period: 'day',
    ...(behaviour && { trial_end_behaviour: behaviour }),
  });
  await takeDebitsOnly(shop);
  return shop;
}

const subscribe = ({ fee, consumer }: Shop, fields: object = {}) =>
  call<Submitted>(app, 'POST', '/v2/subscriptions', { access_fee_id: fee.id, ...fields }, consumer);

const pay = ({ fee, consumer }: Shop, fields: object = {}) =>
  call<SubmittedPayment>(app, 'POST', '/v2/payments', { access_fee_id: fee.id, ...fields }, consumer);

const refused = { status: 422, body: { error: 'payment_method_not_offered' } };
const typed = { number: '4242424242424242', card_name: 'Ana', exp_month: '2', exp_year: '2040', cvv: '123' };

test('202: a trial begins without a payment, and ends as its fee says', async () => {
  const shop = await createTrialShop('cancel');
  const { status, body } = await subscribe(shop);
  expect(status).toBe(202);
  await reaches(app, shop.consumer, body.subscription_id, 'trialing');
  await passDays(app, shop.merchant, 8);
  await reaches(app, shop.consumer, body.subscription_id, 'expired');
});

test('202: a trial that pauses at its end continues by direct debit', async () => {
  const shop = await createTrialShop('pause');
  const { subscription_id: id } = (await subscribe(shop)).body;
  await reaches(app, shop.consumer, id, 'trialing');
  await createMandate(app, shop, accounts.paid);
  const named = { payment_method: 'Direct Debit' };
  const changed = await requestChange(app, 'PUT', `/v2/subscriptions/${id}/payment-method`, named, shop.consumer);
  expect(changed.status).toBe(200);
  await passDays(app, shop.merchant, 8);
  await charged(app, id, 'processing');
});

test('202: a trial that has paused continues by direct debit', async () => {
  const shop = await createTrialShop('pause');
  const { subscription_id: id } = (await subscribe(shop)).body;
  await reaches(app, shop.consumer, id, 'trialing');
  await passDays(app, shop.merchant, 8);
  await reaches(app, shop.consumer, id, 'paused');
  await createMandate(app, shop, accounts.paid);
  const named = { payment_method: 'Direct Debit' };
  await call(app, 'PUT', `/v2/subscriptions/${id}/payment-method`, named, shop.consumer);
  await until(async () => {
    const resumed = await call(app, 'POST', `/subscriptions/${id}/resume`, undefined, shop.consumer);
    return [200, 202].includes(resumed.status);
  });
  await charged(app, id, 'processing');
});

test('202: a trial by a mandate is debited at its end', async () => {
  const shop = await createTrialShop();
  await createMandate(app, shop, accounts.paid);
  const { subscription_id: id } = (await subscribe(shop, { payment_method: 'Direct Debit' })).body;
  await reaches(app, shop.consumer, id, 'trialing');
  await passDays(app, shop.merchant, 8);
  await charged(app, id, 'processing');
});

test('202: a saved card that the merchant takes no more begins a trial without a card', async () => {
  const shop = await createShop(app, {
    trial_period_quantity: '7',
    trial_period_period: 'day',
    trial_end_behaviour: 'cancel',
  });
  const put = { ...typed, currency_iso: 'EUR' };
  await call(app, 'PUT', '/v2/payments/cards/default', put, shop.consumer);
  await takeDebitsOnly(shop);
  const { status, body } = await subscribe(shop);
  expect(status).toBe(202);
  await reaches(app, shop.consumer, body.subscription_id, 'trialing');
  const row = await call(app, 'GET', `/subscriptions/${body.subscription_id}`, undefined, shop.consumer);
  expect(row.body).toMatchObject({ payment_tool_info: '' });
});

test('202 and 200: what a voucher makes free needs no method', async () => {
  const shop = await createShop(app);
  await takeDebitsOnly(shop);
  const voucher = { discount: 100, discount_period: 'forever', rebill_discount: 100 };
  const { code } = await createVoucher(app, shop.merchant, voucher);
  const { status, body } = await subscribe(shop, { voucher_code: code });
  expect(status).toBe(202);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const once = await createPayShop(app);
  await takeDebitsOnly(once);
  const free = await createVoucher(app, once.merchant, { discount: 100 });
  const paid = await pay(once, { voucher_code: free.code });
  expect(paid.status).toBe(200);
  await settles(app, paid.body.transaction, 'paid');
});

test('200: the paywall begins the trial', async () => {
  const shop = await createTrialShop('cancel');
  const walker = await signedInAt(app, shop);
  await walker.open(pathOf(shop));
  const sent = { fee: String(shop.fee.id), shown_fee: String(shop.fee.id), shown_amount: '0', do: 'pay' };
  expect((await walker.submit(`${pathOf(shop)}/pay`, sent)).text).toContain('Processing your payment');
});

describe('422 payment_method_not_offered', () => {
  test.each([{}, typed, { payment_method: 'Card' }])('a purchase that must be paid, with %o', async (fields) => {
    const shop = await createShop(app);
    await takeDebitsOnly(shop);
    expect(await subscribe(shop, fields)).toMatchObject(refused);
    const once = await createPayShop(app);
    await takeDebitsOnly(once);
    expect(await pay(once, fields)).toMatchObject(refused);
  });

  test.each([{}, { payment_method: 'Card' }])('a trial that needs a payment method, with %o', async (fields) => {
    expect(await subscribe(await createTrialShop(), fields)).toMatchObject(refused);
  });

  test('a trial with a card, although it needs none', async () => {
    expect(await subscribe(await createTrialShop('cancel'), typed)).toMatchObject(refused);
  });

  test('a trial that was used already, without a method', async () => {
    const shop = await createTrialShop('cancel');
    const { subscription_id: id } = (await subscribe(shop)).body;
    await reaches(app, shop.consumer, id, 'trialing');
    await call(app, 'DELETE', `/subscriptions/${id}`, { at: 'now' }, shop.consumer);
    await reaches(app, shop.consumer, id, 'canceled');
    expect(await subscribe(shop)).toMatchObject(refused);
  });
});
