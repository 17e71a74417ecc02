import { call } from '../../support/client';
import { cards, createShop, password } from '../../support/factories';
import { faultsWhileRevoked } from '../../support/misconfigured';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

const card = { card_name: 'Ana Petrova', exp_month: '2', exp_year: '2040', cvv: '123', currency_iso: 'EUR' };

test('402 provider_misconfigured: the key of Stripe is revoked; no card is stored, and the merchant gets one mail', async () => {
  const { merchant, consumer } = await createShop(app);
  const put = () => call(app, 'PUT', '/v2/payments/cards/default', { ...card, number: cards.success }, consumer);
  expect(await faultsWhileRevoked(app, merchant, put)).toEqual([]);
  const { rows } = await app.pool.query('SELECT 1 FROM cards WHERE account_id = $1', [consumer.id]);
  expect(rows).toEqual([]);
  expect((await put()).status).toBe(200);
});

test('200: cards that one account adds at once belong to one customer, which its erasure deletes', async () => {
  const { consumer } = await createShop(app);
  const put = (number: string) => call(app, 'PUT', '/v2/payments/cards/default', { ...card, number }, consumer);
  const replies = await Promise.all([put(cards.success), put(cards.success), put(cards.success)]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const of = () => [...app.stripe.customers].filter(([, { metadata }]) => isOf(metadata, consumer.uuid));
  expect(of()).toHaveLength(1);
  const { rows } = await app.pool.query<{ token: string }>('SELECT token FROM cards WHERE account_id = $1', [
    consumer.id,
  ]);
  expect(new Set(rows.map(({ token }) => token.split('/')[0]))).toEqual(new Set(of().map(([id]) => id)));
  expect((await call(app, 'DELETE', '/accounts/erase', { password }, consumer)).status).toBe(202);
  await until(() => of().length === 0);
});

test('202: a customer at Stripe without a stored card is deleted as well', async () => {
  const { consumer } = await createShop(app);
  app.stripe.refuse('/v1/payment_methods', 400, { type: 'invalid_request_error', message: 'No card numbers.' });
  const refused = await call(app, 'PUT', '/v2/payments/cards/default', { ...card, number: cards.success }, consumer);
  app.stripe.mend();
  expect(refused.status).toBe(402);
  const of = () => [...app.stripe.customers.values()].filter(({ metadata }) => isOf(metadata, consumer.uuid));
  expect(of()).toHaveLength(1);
  expect((await call(app, 'DELETE', '/accounts/erase', { password }, consumer)).status).toBe(202);
  await until(() => of().length === 0);
});

const isOf = (metadata: unknown, accountUuid: string) =>
  (metadata as Record<string, unknown> | undefined)?.['paywall_account'] === accountUuid;
