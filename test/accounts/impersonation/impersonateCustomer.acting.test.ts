import { call, listen, type Method } from '../../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  createShop,
  type Person,
  purchase,
  reaches,
  type Shop,
  subscribe,
} from '../../support/factories';
import { auditOf, createFollower } from '../../support/followers';
import { mailsTo, receives } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** What the token of an impersonation allows and refuses. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

async function actAs(actor: Person, { id }: Person): Promise<{ token: string }> {
  const { body } = await call<{ access_token: string }>(
    app,
    'POST',
    '/v2/accounts/impersonate',
    { customer_id: id },
    actor,
  );
  return { token: body.access_token };
}

async function createSubscriber(): Promise<{ shop: Shop; id: string }> {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop, cards.success)).body;
  await reaches(app, shop.consumer, id, 'active');
  return { shop, id };
}

interface ActedMail {
  not_before: Date | null;
}

const actedMailsTo = async ({ id }: Person) => {
  const text = `SELECT not_before FROM mails WHERE account_id = $1 AND template = 'acted_for_you'`;
  return (await app.pool.query<ActedMail>(text, [id])).rows;
};

const actedBy = async (merchant: Person) =>
  (await auditOf(app, merchant)).filter(({ acted_by: by }) => by === merchant.uuid).map(({ action }) => action);

const paymentsOf = async (consumer: Person) =>
  (await call<{ total: number }>(app, 'GET', '/v2/accounting/payment-history', undefined, consumer)).body.total;

test('403 forbidden: the customer’s saved card pays for nothing, and nothing of the customer changes', async () => {
  const { shop, id } = await createSubscriber();
  const { merchant, consumer, item } = shop;
  const dearer = await createFee(app, merchant, item.id, { amount: '300.00' });
  const other = await createItem(app, merchant);
  const once = await createFee(app, merchant, other.id, { access_type: 'Pay-per-view' });
  const acting = await actAs(merchant, consumer);
  const before = await paymentsOf(consumer);
  const refused: [Method, string, Record<string, unknown>][] = [
    ['POST', '/v2/payments', { access_fee: once.id, payment_method: 1 }],
    ['POST', '/payments', { access_fee: once.id, payment_method: 1 }],
    ['POST', '/v2/subscriptions', { access_fee: dearer.id, payment_method: 1 }],
    ['PUT', '/v2/payments/cards/default', { ...purchase(shop), currency_iso: 'EUR' }],
    ['POST', `/subscriptions/${id}/switch`, { access_fee_id: dearer.id }],
    ['POST', `/subscriptions/${id}/resume`, {}],
    ['POST', `/subscriptions/${id}/retry`, {}],
    ['PUT', '/accounts', { full_name: 'Mallory' }],
    ['POST', '/v2/accounts/pin-codes/send', {}],
    ['POST', '/v2/accounts/profiles', { name: 'Mallory', adult: true }],
    ['GET', '/iot/keys', {}],
  ];
  for (const [method, path, fields] of refused) {
    const { status } = await call(app, method, path, method === 'GET' ? undefined : fields, acting);
    expect([path, status]).toEqual([path, 403]);
  }
  expect(await paymentsOf(consumer)).toBe(before);
});

test('4401: an actor hears no notifications of the account', async () => {
  const shop = await createShop(app);
  const channel = await listen(app, { ...shop.consumer, ...(await actAs(shop.merchant, shop.consumer)) });
  expect(await channel.closed).toBe(4401);
});

test('403 forbidden: an actor never has more than its own scopes', async () => {
  const { shop } = await createSubscriber();
  const follower = await createFollower(app, shop.merchant, ['impersonate']);
  const customer = await createConsumer(app, follower);
  const acting = await actAs(follower, customer);
  for (const path of ['/accounts', '/subscriptions', '/v2/accounting/payment-history', '/v2/payments/cards/default'])
    expect([path, (await call(app, 'GET', path, undefined, acting)).status]).toEqual([path, 403]);
  const reader = await createFollower(app, shop.merchant, ['impersonate', 'payments:read']);
  const reading = await actAs(reader, await createConsumer(app, reader));
  expect((await call(app, 'GET', '/v2/accounting/payment-history', undefined, reading)).status).toBe(200);
  expect((await call(app, 'GET', '/accounts', undefined, reading)).status).toBe(403);
});

test('403 forbidden: an actor that loses its rights has none left in the name of others', async () => {
  const { shop } = await createSubscriber();
  const follower = await createFollower(app, shop.merchant, ['impersonate', 'accounts:read']);
  const acting = await actAs(follower, await createConsumer(app, follower));
  const status = async () => (await call(app, 'GET', '/accounts', undefined, acting)).status;
  expect(await status()).toBe(200);
  const fields = { follower_id: follower.id, scopes: ['accounts:read'] };
  expect((await call(app, 'PUT', '/accounts/merchants/relation', fields, shop.merchant)).status).toBe(200);
  await until(async () => [401, 403].includes(await status()));
});

test.each([
  ['cancels', 'DELETE', '', 'subscription.cancel'],
  ['pauses', 'POST', '/pause', 'subscription.pause'],
] as const)(
  '200: support %s; the history, the audit log and a mail say who did it',
  async (_what, method, path, action) => {
    const { shop, id } = await createSubscriber();
    const { merchant, consumer } = shop;
    const acting = await actAs(merchant, consumer);
    expect((await call(app, method, `/subscriptions/${id}${path}`, {}, acting)).status).toBe(200);
    const actors = await until(async () => {
      const { rows } = await app.pool.query<{ acted_by: string }>(
        `SELECT DISTINCT acted_by FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
       WHERE s.token = $1 AND acted_by IS NOT NULL`,
        [id],
      );
      return rows.length > 0 && rows;
    });
    expect(actors).toEqual([{ acted_by: merchant.uuid }]);
    const written = (await auditOf(app, merchant)).filter(({ acted_by: by }) => by === merchant.uuid);
    expect(written.map(({ action }) => action).sort()).toEqual(['impersonation.write', action]);
    const mail = await receives(app, merchant, consumer.email, 'acted_for_you');
    expect(mail.subject).toContain('acted in your account');
  },
);

test('409 subscription_state: a refused write is in the audit log, and mails nobody', async () => {
  const { shop, id } = await createSubscriber();
  const { merchant, consumer } = shop;
  await call(app, 'DELETE', `/subscriptions/${id}`, { at: 'now' }, consumer);
  await reaches(app, consumer, id, 'canceled');
  const acting = await actAs(merchant, consumer);
  for (const headers of [{}, { 'Idempotency-Key': 'refused' }])
    expect((await call(app, 'POST', `/subscriptions/${id}/pause`, {}, { ...acting, headers })).status).toBe(409);
  expect(await actedBy(merchant)).toEqual(['impersonation.write', 'impersonation.write']);
  expect(await actedMailsTo(consumer)).toEqual([]);
});

test('the customer hears of a write whose outcome is lost, later', async () => {
  const { merchant, consumer } = await createShop(app);
  const { recordActing } = await import('../../../src/accounts/signIn/impersonation.js');
  const { getCaller } = await import('../../../src/accounts/tokens/callers.js');
  const caller = await getCaller((await actAs(merchant, consumer)).token, '127.0.0.1');
  const lost = recordActing(caller, { operation: 'pauseSubscription', requestId: 'lost' }, () =>
    Promise.reject(new Error('the connection broke')),
  );
  await expect(lost).rejects.toThrow('the connection broke');
  const [mail, ...others] = await actedMailsTo(consumer);
  expect(others).toEqual([]);
  expect(mail?.not_before?.getTime()).toBeGreaterThan(Date.now());
});

test('402 access_not_found: a look at an item that is free after sign-in takes it for nobody', async () => {
  const { merchant, consumer } = await createShop(app);
  const { id } = await createItem(app, merchant, { access_control_type_id: 3 });
  const acting = await actAs(merchant, consumer);
  expect((await call(app, 'GET', `/items/${id}/access`, undefined, acting)).status).toBe(402);
  const taken = 'SELECT FROM accesses WHERE account_id = $1';
  expect((await app.pool.query(taken, [consumer.id])).rowCount).toBe(0);
  expect((await call(app, 'GET', `/items/${id}/access`, undefined, consumer)).status).toBe(200);
  expect((await app.pool.query(taken, [consumer.id])).rowCount).toBe(1);
});

test('200: reads leave no mail behind', async () => {
  const { shop } = await createSubscriber();
  const acting = await actAs(shop.merchant, shop.consumer);
  for (const path of ['/accounts', '/subscriptions', '/v2/payments/cards/default'])
    expect([path, (await call(app, 'GET', path, undefined, acting)).status]).toEqual([path, 200]);
  const mails = await mailsTo(app, shop.merchant, shop.consumer.email);
  expect(mails.filter(({ template }) => template === 'acted_for_you')).toEqual([]);
});
