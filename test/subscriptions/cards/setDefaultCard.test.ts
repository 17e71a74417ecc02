import { call } from '../../support/client';
import {
  cards,
  createConsumer,
  createShop,
  reaches,
  subscribe,
  type Shop,
  type SubscriptionRow,
} from '../../support/factories';
import { giveTrial } from '../../support/scenarios';
import { createPayShop, paid, pay, settles, withFee } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const card = { number: cards.success, card_name: 'Ana Petrova', exp_month: '2', exp_year: '30', cvv: '123' };
const path = '/v2/payments/cards/default';

test('200: tells the card by its last four digits', async () => {
  const { consumer } = await createPayShop(app);
  const put = await call(app, 'PUT', path, { ...card, currency_iso: 'eur' }, consumer);
  expect([put.status, put.body]).toEqual([
    200,
    { number: 4242, card_name: 'Ana Petrova', exp_month: '02', exp_year: '2030' },
  ]);
});

test('200: it pays what names no card, in its currency', async () => {
  const shop = await createPayShop(app);
  await call(app, 'PUT', path, { ...card, currency_iso: 'EUR' }, shop.consumer);
  await call(app, 'PUT', path, { ...card, number: cards.declinedWhenCharged, currency_iso: 'USD' }, shop.consumer);
  const inEuro = await call<{ transaction: string }>(
    app,
    'POST',
    '/payments',
    { access_fee: shop.fee.id },
    shop.consumer,
  );
  const text = 'SELECT c.last_four FROM payments p JOIN cards c ON c.id = p.card_id WHERE p.token = $1';
  expect((await app.pool.query(text, [inEuro.body.transaction])).rows).toEqual([{ last_four: '4242' }]);
  const dollars = await withFee(app, shop, { access_type: 'ppv', currency: 'USD' });
  const { body } = await call<{ transaction: string }>(
    app,
    'POST',
    '/payments',
    { access_fee: dollars.fee.id },
    shop.consumer,
  );
  expect((await app.pool.query(text, [body.transaction])).rows).toEqual([{ last_four: '0341' }]);
});

const defaultsOf = async ({ consumer }: Shop) =>
  (await call<{ cards: object }>(app, 'GET', path, undefined, consumer)).body.cards;

test('200: a card that was typed becomes the default of that currency once it has paid', async () => {
  const shop = await createPayShop(app);
  await paid(app, shop);
  expect(await defaultsOf(shop)).toMatchObject({ EUR: { number: 4242 } });
});

test('200: a card that is declined pays for nothing else: the one that has paid stays the default', async () => {
  const shop = await createPayShop(app);
  const { body } = await pay(app, shop, cards.declined);
  await settles(app, body.transaction, 'failed');
  expect(await defaultsOf(shop)).toEqual({});
  const untyped = () => call(app, 'POST', '/payments', { access_fee: shop.fee.id }, shop.consumer);
  expect(await untyped()).toMatchObject({ status: 400, body: { errors: { number: expect.any(String) as string } } });

  await paid(app, shop);
  const again = await pay(app, await withFee(app, shop, { access_type: 'ppv' }), cards.declined);
  await settles(app, again.body.transaction, 'failed');
  expect(await defaultsOf(shop)).toMatchObject({ EUR: { number: 4242 } });
});

test('200: of a subscription that was declined the card is no default; of a trial it is before it has paid', async () => {
  const declined = await withFee(app, await createPayShop(app), { access_type: 'subscription' });
  const { body } = await subscribe(app, declined, cards.declined);
  await reaches(app, declined.consumer, body.subscription_id, 'incomplete_expired');
  expect(await defaultsOf(declined)).toEqual({});
  await giveTrial(app, declined.fee.id, [7, 'day']);
  const trial = await subscribe(app, declined);
  await reaches(app, declined.consumer, trial.body.subscription_id, 'trialing');
  expect(await defaultsOf(declined)).toMatchObject({ EUR: { number: 4242 } });
});

test('422 invalid_input: what is no currency, an expired card, a number the provider does not take', async () => {
  const { merchant } = await createPayShop(app);
  const consumer = await createConsumer(app, merchant);
  for (const [field, value] of [
    ['currency_iso', 'XXX'],
    ['exp_year', '20'],
    ['number', '4012888888881881'],
  ] as const) {
    const reply = await call(app, 'PUT', path, { ...card, currency_iso: 'EUR', [field]: value }, consumer);
    expect(reply).toMatchObject({ status: 422, body: { errors: { [field]: expect.any(String) as string } } });
  }
  expect((await call(app, 'GET', path, undefined, consumer)).body).toEqual({ cards: {} });
});

test('200: running subscriptions in that currency renew with it, and no others', async () => {
  const shop = await withFee(app, await createPayShop(app), { access_type: 'subscription' });
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await call(app, 'PUT', path, { ...card, number: cards.declined, currency_iso: 'USD' }, shop.consumer);
  await call(app, 'PUT', path, { ...card, number: '4111111111111111', currency_iso: 'EUR' }, shop.consumer);
  const row = () =>
    call<SubscriptionRow>(app, 'GET', `/subscriptions/${body.subscription_id}`, undefined, shop.consumer);
  await until(async () => (await row()).body.payment_tool_info === '1111');
});

test('200: a token of the provider’s own form instead of the card', async () => {
  const { consumer } = await createPayShop(app);
  const put = await call(app, 'PUT', path, { payment_token: 'tok_success', currency_iso: 'EUR' }, consumer);
  expect([put.status, put.body]).toMatchObject([200, { number: 4242 }]);
});

test('400 missing_parameter: neither', async () => {
  const { consumer } = await createPayShop(app);
  const reply = await call(app, 'PUT', path, { currency_iso: 'EUR' }, consumer);
  expect(reply).toMatchObject({ status: 400, body: { errors: { number: expect.any(String) as string } } });
});

test('422 payment_method_not_offered: the token is of Link, which the merchant has not enabled', async () => {
  const shop = await createPayShop(app);
  const body = { payment_token: 'tok_link', currency_iso: 'EUR' };
  const reply = await call(app, 'PUT', path, body, shop.consumer);
  expect(reply).toMatchObject({ status: 422, body: { error: 'payment_method_not_offered' } });
  expect(await defaultsOf(shop)).toEqual({});
});

describe('402 payment_failed: the bank refuses the card', () => {
  test('nothing is saved', async () => {
    const shop = await createPayShop(app);
    const { status, body } = await put(shop, cards.declined);
    expect([status, body]).toMatchObject([402, { error: 'payment_failed', explain: 'Your card was declined.' }]);
    expect(await defaultsOf(shop)).toEqual({});
  });
});

const put = (shop: Shop, number: string, more: object = {}) =>
  call<{ pi_id: string; redirect_to_url: string }>(
    app,
    'PUT',
    path,
    { ...card, number, currency_iso: 'EUR', ...more },
    shop.consumer,
  );

describe('a card whose bank asks for an authentication', () => {
  const proceed = (shop: Shop, pi_id: string) => call(app, 'PUT', path, { pi_id }, shop.consumer);
  const answer = (pi: string, given: string) => call(app, 'POST', `/sandbox/authenticate/${pi}`, { answer: given });

  test('202: it is not used before its payer has authenticated it; then it is, also for running subscriptions', async () => {
    const shop = await createShop(app);
    const { body: bought } = await subscribe(app, shop, cards.success);
    await reaches(app, shop.consumer, bought.subscription_id, 'active');
    const asked = await put(shop, cards.authenticatedOnce, { return_url: 'https://shop.example/card' });
    expect([asked.status, asked.body]).toMatchObject([202, { number: 3155, status: 'requires_action' }]);
    const { pi_id } = asked.body;
    expect(await defaultsOf(shop)).toMatchObject({ EUR: { number: 4242 } });
    expect((await proceed(shop, pi_id)).status).toBe(202);
    const answered = await answer(pi_id, 'approved');
    expect(answered.headers.get('location')).toBe(`https://shop.example/card?setup_intent=${pi_id}`);
    expect(await defaultsOf(shop)).toMatchObject({ EUR: { number: 3155 } });
    const again = await proceed(shop, pi_id);
    expect([again.status, again.body]).toMatchObject([200, { number: 3155 }]);
    const cardOf = `SELECT c.last_four FROM subscriptions s JOIN cards c ON c.id = s.card_id WHERE s.token = $1`;
    await until(async () => {
      const { rows } = await app.pool.query<{ last_four: string }>(cardOf, [bought.subscription_id]);
      return rows[0]?.last_four === '3155';
    });
  });

  test('402 payment_failed: the payer refuses, and the former card stays', async () => {
    const shop = await createPayShop(app);
    await paid(app, shop);
    const { pi_id } = (await put(shop, cards.authenticatedOnce)).body;
    await answer(pi_id, 'refused');
    expect(await proceed(shop, pi_id)).toMatchObject({ status: 402, body: { error: 'payment_failed' } });
    expect(await defaultsOf(shop)).toMatchObject({ EUR: { number: 4242 } });
  });

  test('404 payment_not_found: the authentication of somebody else', async () => {
    const shop = await createPayShop(app);
    const { pi_id } = (await put(shop, cards.authenticatedOnce)).body;
    const other = { ...shop, consumer: await createConsumer(app, shop.merchant) };
    expect(await proceed(other, pi_id)).toMatchObject({ status: 404, body: { error: 'payment_not_found' } });
    expect(await proceed(shop, 'seti_unknown')).toMatchObject({ status: 404 });
  });
});
