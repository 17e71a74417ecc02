import { call } from '../../support/client';
import { type ErrorBody } from '../../support/raw';
import { createShop, reaches, subscribe, type Shop, type Submitted } from '../../support/factories';
import { createPayShop, settles, type SubmittedPayment } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** The wallets as existing clients name them, with the sandbox. Clients send no token, and follow the events. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const names = ['google pay on web', 'apple pay on web'] as const;
const referrer = 'https://shop.example.org/film?seat=4';

async function openShop(): Promise<Shop> {
  const shop = await createPayShop(app);
  const payment_methods = ['card', 'google_pay', 'apple_pay'];
  await call(app, 'PUT', '/accounts/settings', { payment_methods }, shop.merchant);
  return shop;
}

const buy = <T = SubmittedPayment>({ fee, consumer }: Shop, fields: object) =>
  call<T>(app, 'POST', '/v2/payments', { access_fee_id: fee.id, referrer, ...fields }, consumer);

interface Event {
  type: string;
  resource: { redirect_to_url?: string; pi_id?: string; payment_method?: string; message?: string };
}

const eventOf = ({ consumer }: Shop, type: string) =>
  until(async () => {
    const { body } = await call<{ collection: Event[] }>(app, 'GET', '/notifications/history', undefined, consumer);
    return body.collection.find((event) => event.type === type)?.resource;
  });

const accessOf = async ({ item, consumer }: Shop) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status;

async function answer(address = '', given = 'approved') {
  return call<string>(app, 'POST', new URL(address).pathname, { answer: given });
}

describe.each(names)('POST /v2/payments by %s', (payment_method) => {
  test('200: the event leads to a page, and the payment there opens access and leads back', async () => {
    const shop = await openShop();
    const { status, body } = await buy(shop, { payment_method });
    expect([status, body]).toMatchObject([200, { code: 200, message: 'Submitted for payment' }]);
    const asked = await eventOf(shop, 'payment.card.requires.action');
    const page = await call<string>(app, 'GET', new URL(asked.redirect_to_url ?? '').pathname);
    expect(page.body).toContain(payment_method.startsWith('google') ? 'Pay with Google Pay' : 'Pay with Apple Pay');
    expect(await accessOf(shop)).toBe(402);
    const { headers } = await answer(asked.redirect_to_url);
    expect(headers.get('location')).toBe(`${referrer}&ippwat=ppv&payment_intent=${asked.pi_id}`);
    await settles(app, body.transaction, 'paid');
    expect(await accessOf(shop)).toBe(200);
    await eventOf(shop, 'payment.card.success');
  });

  test('200: a payer who closes the wallet is told so, and nothing is charged', async () => {
    const shop = await openShop();
    const { body } = await buy(shop, { payment_method });
    const asked = await eventOf(shop, 'payment.card.requires.action');
    await answer(asked.redirect_to_url, 'refused');
    await settles(app, body.transaction, 'failed');
    const title = payment_method.startsWith('google') ? 'Google Pay' : 'Apple Pay';
    const failed = await eventOf(shop, 'payment.card.failed');
    expect(failed.message).toBe(`The payment was canceled on the page of ${title}.`);
    expect(await accessOf(shop)).toBe(402);
  });

  test('200: with the token of the payment form it is paid at once, by a card', async () => {
    const shop = await openShop();
    const { body } = await buy(shop, { payment_method, payment_token: 'tok_success' });
    await settles(app, body.transaction, 'paid');
  });

  test('400 missing_parameter: a subscription needs the token, and the answer says so', async () => {
    const shop = await createShop(app);
    const payment_methods = ['card', 'google_pay', 'apple_pay'];
    await call(app, 'PUT', '/accounts/settings', { payment_methods }, shop.merchant);
    const body = { access_fee_id: shop.fee.id, payment_method };
    const refused = await call<ErrorBody>(app, 'POST', '/v2/subscriptions', body, shop.consumer);
    expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([400, ['payment_token']]);
    const taken = { ...body, payment_token: 'tok_success' };
    expect((await call<Submitted>(app, 'POST', '/v2/subscriptions', taken, shop.consumer)).status).toBe(202);
  });
});

test.each(names)(
  '422 payment_method_not_offered: a subscription changes to %s, and the answer says what to send',
  async (name) => {
    const shop = await createShop(app);
    const payment_methods = ['card', 'google_pay', 'apple_pay'];
    await call(app, 'PUT', '/accounts/settings', { payment_methods }, shop.merchant);
    const { body } = await subscribe(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    const path = `/v2/subscriptions/${body.subscription_id}/payment-method`;
    const refused = await call<ErrorBody>(app, 'PUT', path, { payment_method: name }, shop.consumer);
    expect([refused.status, refused.body.error]).toEqual([422, 'payment_method_not_offered']);
    expect(refused.body.errors?.['payment_method']).toContain(
      'Save its card with the payment form, and name the method Card.',
    );
  },
);

test('200: the receipt names the wallet, and the list of methods has it', async () => {
  const shop = await openShop();
  const { body } = await buy(shop, { payment_method: names[0] });
  await answer((await eventOf(shop, 'payment.card.requires.action')).redirect_to_url);
  await settles(app, body.transaction, 'paid');
  const purchases = await call(app, 'GET', '/items/access/customers', undefined, shop.consumer);
  expect(purchases.body).toMatchObject({ collection: [{ payment_method: 'Google Pay', payment_tool: 'Google Pay' }] });
  const listed = await call<{ method_name: string }[]>(app, 'GET', '/payments/methods', undefined, shop.consumer);
  expect(listed.body.map(({ method_name: name }) => name)).toEqual(['Card', 'Google Pay', 'Apple Pay']);
});
