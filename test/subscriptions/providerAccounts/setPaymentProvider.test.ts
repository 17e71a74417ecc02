import { call } from '../../support/client';
import { cards, createMerchant, createShop, reaches, subscribe } from '../../support/factories';
import {
  connect,
  createAccount,
  createOwnShop,
  publicUrl,
  secretOf,
  startAccountsApp,
  subscribeWithForm,
  type AccountsApp,
} from '../../support/paymentAccounts';
import { refund } from '../../support/payments';
import { notify } from '../../support/stripeNotifications';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const read = async (merchant: Parameters<typeof connect>[1]) =>
  (await call(app, 'GET', '/payments/provider', undefined, merchant)).body;

test('200: the keys are tested, and the notifications and the domain are registered at Stripe', async () => {
  const merchant = await createMerchant(app);
  const account = createAccount(app);
  const { status, body } = await connect(app, merchant, account);
  expect([status, body]).toEqual([
    200,
    {
      source: 'own',
      can_sell: true,
      provider: 'stripe',
      kind: 'keys',
      account: account.id,
      mode: 'test',
      publishable_key: account.publishableKey,
      secret_key: `…${account.secretKey.slice(-4)}`,
      notification_url: expect.stringMatching(`^${publicUrl}/payments/stripe/notifications/[0-9a-f-]{36}$`) as string,
      problems: [],
      checked_at: expect.any(Number) as number,
      former_accounts: [],
      connect_offered: false,
      connect: null,
    },
  ]);
  expect(account.endpoints).toMatchObject([{ url: body.notification_url }]);
  expect(account.endpoints[0]?.['enabled_events']).toContain('charge.dispute.created');
  expect(account.domains).toMatchObject([{ domain_name: 'pay.example.org', apple_pay: { status: 'active' } }]);
});

test('200: the secret key is stored encrypted only', async () => {
  const merchant = await createMerchant(app);
  const account = createAccount(app);
  await connect(app, merchant, account);
  const { rows } = await app.pool.query<{ text: string; sealed: Buffer }>(
    `SELECT provider_accounts::text AS text, sealed_keys AS sealed FROM provider_accounts WHERE merchant_id = $1`,
    [merchant.id],
  );
  expect(rows[0]?.text).not.toContain(account.secretKey);
  expect(rows[0]?.sealed.toString('latin1')).not.toContain(account.secretKey);
});

test('200: payments go to the account of their merchant, and those of other merchants do not', async () => {
  const { shop, account } = await createOwnShop(app);
  const other = await createShop(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account)).body;
  await reaches(app, shop.consumer, id, 'active');
  const { subscription_id: otherId } = (await subscribe(app, other)).body;
  await reaches(app, other.consumer, otherId, 'active');
  expect([...account.intents.values()].map(({ amount, status }) => [amount, status])).toEqual([[999, 'succeeded']]);
  expect([...app.stripe.intents.values()]).toEqual([]);
  const history = await call<{ collection: object[] }>(
    app,
    'GET',
    '/v2/accounting/payment-history',
    undefined,
    shop.consumer,
  );
  expect(history.body.collection).toMatchObject([{ gateway_name: 'stripe' }]);
});

test('200: the card number of a client is refused in favour of the form', async () => {
  const { shop } = await createOwnShop(app);
  const reply = await subscribe(app, shop, cards.success);
  expect([reply.status, Object.keys((reply.body as never as { errors: object }).errors)]).toEqual([422, ['number']]);
});

test('200: a new key of the same account keeps its cards, and one webhook endpoint remains', async () => {
  const { shop, account } = await createOwnShop(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account)).body;
  const { current_period_end: endsAt } = await reaches(app, shop.consumer, id, 'active');
  account.secretKey = `${account.secretKey}new`;
  expect((await connect(app, shop.merchant, account)).status).toBe(200);
  expect(account.endpoints).toHaveLength(1);
  await passDays(app, shop.merchant, (endsAt - Date.now() / 1000) / 86_400 + 0.1);
  await until(() => [...account.intents.values()].length === 2);
  expect((await read(shop.merchant))['former_accounts']).toEqual([]);
});

test('200: with another account, renewals and refunds stay with the account of the card', async () => {
  const { shop, account: former } = await createOwnShop(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, former)).body;
  const { current_period_end: endsAt } = await reaches(app, shop.consumer, id, 'active');
  const account = createAccount(app);
  const { body } = await connect(app, shop.merchant, account);
  expect(body).toMatchObject({ account: account.id, former_accounts: [{ account: former.id, mode: 'test' }] });
  await passDays(app, shop.merchant, (endsAt - Date.now() / 1000) / 86_400 + 0.1);
  await until(() => [...former.intents.values()].length === 2);
  const paid = `SELECT trx_token FROM charges WHERE subscription_id = (SELECT id FROM subscriptions WHERE token = $1)
    AND cycle = 1 AND status = 'paid'`;
  const { rows } = await app.pool.query<{ trx_token: string }>(paid, [id]);
  expect((await refund(app, shop.merchant, rows[0]?.trx_token ?? '')).status).toBe(200);
  await until(() => former.refunds.length === 1);
  expect([account.intents.size, account.refunds.length]).toEqual([0, 0]);
});

test('200: an account that is not ready is saved with its problems', async () => {
  const merchant = await createMerchant(app);
  const account = createAccount(app);
  account.takesPayments = false;
  account.takesDomains = false;
  const { status, body } = await connect(app, merchant, account);
  expect([status, body.problems.map(({ field }) => field)]).toEqual([200, ['account', 'domain']]);
  expect(body.problems[1]?.message).toBe(
    'Apple Pay is not active for pay.example.org. The domain could not be verified.',
  );
});

test('200: a webhook secret that is given registers nothing', async () => {
  const merchant = await createMerchant(app);
  const account = createAccount(app);
  const { body } = await connect(app, merchant, account, { webhook_secret: 'whsec_mine' });
  expect([account.endpoints, body.problems]).toEqual([[], []]);
  const path = new URL(body.notification_url ?? '').pathname;
  const told = { type: 'charge.refunded', object: { payment_intent: 'pi_unknown' } };
  expect((await notify(app, told, 'whsec_mine', path)).status).toBe(200);
});

test('422 invalid_input: a wrong key is named, and nothing is saved or registered', async () => {
  const merchant = await createMerchant(app);
  const account = createAccount(app);
  const other = createAccount(app);
  const { secretKey, publishableKey } = account;
  const wrong = [
    [{ secretKey: 'sk_test_unknown', publishableKey }, 'secret_key', 'Stripe does not accept this key.'],
    [{ secretKey, publishableKey: 'pk_test_unknown' }, 'publishable_key', 'Stripe does not accept this key.'],
    [{ secretKey, publishableKey: other.publishableKey }, 'publishable_key', 'belongs to another Stripe account'],
    [{ secretKey, publishableKey: 'pk_live_1' }, 'publishable_key', 'the same mode'],
    [{ secretKey: 'sk_live_1', publishableKey: 'pk_live_1' }, 'secret_key', 'this is a test environment'],
    [{ secretKey: publishableKey, publishableKey: secretKey }, 'secret_key', 'must begin with sk_live_'],
    [{ secretKey, publishableKey: secretKey }, 'publishable_key', 'must begin with pk_live_'],
  ] as const;
  for (const [keys, field, text] of wrong) {
    const { status, body } = await connect(app, merchant, keys);
    expect([status, body.error, body.errors?.[field]]).toEqual([
      422,
      'invalid_input',
      expect.stringContaining(text) as string,
    ]);
    expect(JSON.stringify(body)).not.toContain(secretKey);
  }
  expect([(await read(merchant))['source'], account.endpoints, account.domains]).toEqual(['sandbox', [], []]);
});

test('503 service_unavailable: Stripe does not answer; nothing is saved', async () => {
  const merchant = await createMerchant(app);
  app.stripe.fail('/v1/account', 'refuse before the work', 2);
  const { status, headers } = await connect(app, merchant, createAccount(app));
  app.stripe.mend();
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect((await read(merchant))['source']).toBe('sandbox');
});

test('409 provider_changed: of requests at once, the saved secret is that of the endpoint that remains', async () => {
  const merchant = await createMerchant(app);
  const account = createAccount(app);
  const replies = await Promise.all([1, 2, 3].map(() => connect(app, merchant, account)));
  const statuses = replies.map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect(account.endpoints).toHaveLength(1);
  const path = new URL(String((await read(merchant))['notification_url'])).pathname;
  const told = { type: 'charge.refunded', object: { payment_intent: 'pi_unknown' } };
  expect((await notify(app, told, secretOf(account), path)).status).toBe(200);
});
