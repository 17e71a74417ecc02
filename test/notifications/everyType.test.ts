import { type EventType, eventTypes, neverSent } from '../../src/notifications/events';
import { call } from '../support/client';
import { cards, createConsumer, createFee, password, reaches, type Shop, subscribe } from '../support/factories';
import { buyOnPage, offerRedirects, type PageAnswer } from '../support/redirects';
import { giveTrial } from '../support/scenarios';
import { pay, refund, refundCards, settles } from '../support/payments';
import { type TestApp } from '../support/startApp';
import {
  buy,
  capture,
  createQuietShop,
  present,
  push,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { passDays } from '../support/testClock';
import { until } from '../support/until';
import { createWebhook, startReceiver, type Receiver } from '../support/webhooks';

/** Every type that a webhook can name is published by its cause, or listed in `never_sent`. */

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;
let shop: StoreShop;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  ({ app, stores, stop } = await startStoreApp({ WEBHOOK_ALLOW_PRIVATE: 'true' }));
});
afterAll(async () => {
  await stop();
  await receiver.stop();
});
beforeEach(async () => {
  shop = await createQuietShop(app, stores);
  await createWebhook(app, shop.merchant, { url: receiver.url });
});

const market = () => stores.simulator.market;
const asConsumer = (method: 'POST' | 'PUT' | 'DELETE', path: string, fields?: object) =>
  call(app, method, path, fields as Record<string, unknown> | undefined, shop.consumer);

async function subscribed(card: string = cards.success, trial = false): Promise<string> {
  if (trial) await giveTrial(app, shop.fee.id, [1, 'week']);
  const { body } = await subscribe(app, shop, card);
  await reaches(app, shop.consumer, body.subscription_id, trial ? 'trialing' : 'active');
  return body.subscription_id;
}

async function payOnce(card?: string): Promise<string> {
  const fee = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv', quantity: 2, period: 'day' });
  const bought: Shop = { ...shop, fee };
  return (await pay(app, bought, card)).body.transaction;
}

async function payOnPage(kind: 'subscription' | 'payment', answer: PageAnswer): Promise<unknown> {
  await offerRedirects(app, shop);
  const ppv = { access_type: 'ppv', quantity: 2, period: 'day' };
  const fee = kind === 'payment' ? await createFee(app, shop.merchant, shop.item.id, ppv) : shop.fee;
  return (await buyOnPage(app, { ...shop, fee }, kind)).answer(answer);
}

async function paidOnce(card?: string): Promise<string> {
  const token = await payOnce(card);
  await settles(app, token, 'paid');
  return token;
}

async function boughtInStore(order: Parameters<typeof buy>[2] = {}) {
  const purchase = buy(shop, 'apple', order);
  expect((await settled(shop, await present(shop, purchase))).state).toBe('succeeded');
  return purchase;
}

/** Delivers the notifications that the store sends about a change. */
async function tell(happens: () => unknown): Promise<void> {
  for (const sending of await capture(stores, happens)) expect((await push(app, sending)).status).toBe(200);
}

const oneTime = { kind: 'one_time', length: null } as const;
const signIn = () =>
  call(app, 'POST', '/accounts/authenticate', {
    ...{ grant_type: 'password', client_id: shop.merchant.uuid, username: shop.consumer.email, password },
  });

const scenarios: [what: string, types: EventType[], happens: () => Promise<unknown>][] = [
  ['a customer registers', ['customer.registered'], () => createConsumer(app, shop.merchant)],
  [
    'a customer changes',
    ['customer.updated', 'customer.password.updated'],
    async () => {
      const next = 'a-longer-horse-battery-9';
      await asConsumer('PUT', '/accounts', { full_name: 'Ana Maria' });
      const change = { old_password: password, password: next, password_confirmation: next };
      await asConsumer('POST', '/accounts/change-password', change);
    },
  ],
  [
    'a subscription is bought, and canceled now',
    ['access.granted', 'subscribe.success', 'subscribe.cancelled.success', 'access.revoked', 'subscribe.expired'],
    async () => asConsumer('DELETE', `/subscriptions/${await subscribed()}`, { at: 'now' }),
  ],
  [
    'a subscription is to pause',
    ['subscribe.updated'],
    async () => asConsumer('POST', `/subscriptions/${await subscribed()}/pause`),
  ],
  ['a first payment is declined', ['subscribe.failed'], () => subscribe(app, shop, cards.declined)],
  [
    'a first payment waits for its payer',
    ['subscribe.requires.action', 'subscribe.pending'],
    () => subscribe(app, shop, cards.needsAuthentication),
  ],
  [
    'a trial ends with a payment',
    ['trial.converted', 'subscribe.renewed'],
    async () => {
      await subscribed(cards.success, true);
      await passDays(app, shop.merchant, 8);
    },
  ],
  [
    'a renewal is declined',
    ['subscription.rebill.failed', 'subscribe.past_due'],
    async () => {
      await subscribed(cards.declinedAtRenewal);
      await passDays(app, shop.merchant, 32);
    },
  ],
  [
    'a payment is given back',
    ['payment.card.success', 'payment.refund.success'],
    async () => refund(app, shop.merchant, await paidOnce()),
  ],
  ['a payment is declined', ['payment.card.failed'], () => payOnce(cards.declined)],
  ['a payment waits for its payer', ['payment.card.requires.action'], () => payOnce(cards.needsAuthentication)],
  [
    'a payment by iDEAL is made on the page',
    ['payment.ideal.requires.action', 'payment.ideal.success'],
    () => payOnPage('payment', 'approved'),
  ],
  ['a payment by iDEAL is cancelled', ['payment.ideal.failed'], () => payOnPage('payment', 'refused')],
  ['a subscription begins by iDEAL', ['ideal.subscribe.success'], () => payOnPage('subscription', 'approved')],
  ['a first period by iDEAL is cancelled', ['ideal.subscribe.failed'], () => payOnPage('subscription', 'refused')],
  [
    'a refund is refused by the provider',
    ['payment.refund.failed'],
    async () => refund(app, shop.merchant, await paidOnce(refundCards.refused)),
  ],
  [
    'a subscription is bought in a store, and canceled there',
    ['external.payment.success', 'external.subscribe.success', 'external.subscribe.cancel.success'],
    async () => {
      const { id } = await boughtInStore();
      await tell(() => market().setAutoRenew(id, false));
    },
  ],
  [
    'a claim of a subscription fails',
    ['external.payment.failed', 'external.subscribe.failed'],
    () => present(shop, buy(shop, 'apple', { productId: 'unknown' })),
  ],
  [
    'a store changes the plan',
    ['external.subscribe.update.success'],
    async () => {
      const { id } = await boughtInStore();
      const other = await createFee(app, shop.merchant, shop.item.id, { period: 'year' });
      await tell(() => market().change(id, `${shop.item.id}_${other.id}`, 'now'));
    },
  ],
  [
    'a store changes the plan to a product that is not mapped to a fee',
    ['external.subscribe.update.failed'],
    async () => {
      const { id } = await boughtInStore();
      await tell(() => market().change(id, 'unmapped', 'now'));
    },
  ],
  [
    'a store gives the money back',
    ['external.payment.refund.success'],
    async () => {
      const { id } = await boughtInStore();
      await tell(() => market().refund(id));
    },
  ],
  [
    'a store declines a refund',
    ['external.payment.refund.failed'],
    async () => {
      const { id } = await boughtInStore();
      await tell(() => market().declineRefund(id));
    },
  ],
  [
    'a customer has more sessions than are allowed',
    ['account.logout'],
    async () => {
      await call(app, 'PUT', '/accounts/settings', { session_limit: 1 }, shop.merchant);
      await signIn();
    },
  ],
  [
    'a customer is deactivated',
    ['account.deactivated'],
    () => call(app, 'DELETE', '/accounts', { customerID: shop.consumer.id }, shop.merchant),
  ],
  ['an account is exported', ['account.export.success'], () => asConsumer('POST', '/accounts/export', { password })],
  ['an account is erased', ['account.erased'], () => asConsumer('DELETE', '/accounts/erase', { password })],
];

const told = async (): Promise<string[]> => {
  const text = 'SELECT type FROM events WHERE merchant_id = $1 ORDER BY sequence';
  return (await app.pool.query<{ type: string }>(text, [shop.merchant.id])).rows.map(({ type }) => type);
};

test.each(scenarios)('%s: %s', async (_what, types, happens) => {
  await happens();
  await until(async () => {
    const heard = await told();
    return types.every((type) => heard.includes(type));
  });
});

test('every type has a scenario', () => {
  expect([...new Set(scenarios.flatMap(([, types]) => types))].sort()).toEqual([...eventTypes].sort());
});

test('201: a type that is never sent can be named, and the answer lists it in never_sent', async () => {
  const events = ['subscribe.success', ...neverSent];
  expect(await createWebhook(app, shop.merchant, { events })).toMatchObject({ events, never_sent: [...neverSent] });
  expect(await createWebhook(app, shop.merchant, { events: ['subscribe.success'] })).toMatchObject({ never_sent: [] });
});

describe('external.payment.refund.failed: a store reverses a refund', () => {
  const failures = async () => (await told()).filter((type) => type === 'external.payment.refund.failed').length;

  test.each([
    ['of a subscription', {}],
    ['of what was bought once', oneTime],
  ])('%s: published once, however often the store reports it', async (_what, order) => {
    if (order === oneTime) {
      const fee = { access_type: 'ppv', quantity: 2, period: 'day' };
      shop = { ...shop, fee: await createFee(app, shop.merchant, shop.item.id, fee) };
    }
    const { id } = await boughtInStore(order);
    await tell(() => market().refund(id));
    await until(async () => (await told()).includes('external.payment.refund.success'));
    const [sending] = await capture(stores, () => market().reverseRefund(id));
    if (!sending) throw new Error('the store tells nothing');
    await push(app, sending);
    await until(async () => (await failures()) === 1);
    await push(app, sending);
    await tell(() => market().setAutoRenew(id, false));
    await until(async () => {
      const text = `SELECT 1 FROM store_purchases WHERE merchant_id = $1 AND NOT auto_renew`;
      return (await app.pool.query(text, [shop.merchant.id])).rows.length === 1;
    });
    expect(await failures()).toBe(1);
  });
});
