import { subscribeWithAuthentication } from '../support/payer';
import { findFaults } from '../support/books';
import { bundleTimeLapse } from '../support/bundles';
import { call, listen } from '../support/client';
import { cards, createShop, reaches, subscribe } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** Waits of hours and weeks. An hour of the workflow takes a millisecond here. */

let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  app = await startApp({ WORKFLOW_BUNDLE: await bundleTimeLapse() });
  await app.startWorker();
  temporal = await connectTemporal();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** The lengths of a workflow's timers, in milliseconds that stand for hours. */
const timersOf = async (id: string) =>
  [...(await temporal.history(id)).matchAll(/"startToFireTimeout": ?"([\d.]+)s"/g)].map(([, seconds]) =>
    Math.round(Number(seconds) * 1000),
  );

test('subscribe.failed: an authentication that is never answered ends after 23 hours', async () => {
  const shop = await createShop(app);
  const { id } = await subscribeWithAuthentication(app, shop);
  const row = await reaches(app, shop.consumer, id, 'incomplete_expired');
  expect(row).toMatchObject({ failure_reason: 'authentication_expired' });
  expect(await findFaults(app.pool, id)).toEqual([]);
  const events = await call<{ collection: { type: string; resource: object }[] }>(
    app,
    'GET',
    '/notifications/history',
    undefined,
    shop.consumer,
  );
  expect(events.body.collection).toMatchObject([
    { type: 'subscribe.requires.action' },
    { type: 'subscribe.failed', resource: { code: 422, message: 'The payment was not confirmed in time.' } },
  ]);
  expect(await timersOf(id)).toEqual([23]);
});

test('subscribe.failed: an answer that comes after the 23 hours charges nothing', async () => {
  const shop = await createShop(app);
  const { id, answer } = await subscribeWithAuthentication(app, shop);
  await reaches(app, shop.consumer, id, 'incomplete_expired');
  await answer('approved');
  expect(await findFaults(app.pool, id)).toEqual([]);
});

test('202: after that the consumer may subscribe again', async () => {
  const shop = await createShop(app);
  const { id } = await subscribeWithAuthentication(app, shop);
  await reaches(app, shop.consumer, id, 'incomplete_expired');
  expect((await subscribe(app, shop)).status).toBe(202);
});

test('subscribe.failed: a provider that stays silent is asked for a day, and then no more', async () => {
  const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
  const provider = { ...cardProvider };
  const silent = () => Promise.resolve({ outcome: 'unknown' as const });
  Object.assign(cardProvider, { charge: silent, lookUpCharge: silent, voidCharge: silent });
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  const row = await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
  Object.assign(cardProvider, provider);
  expect(row).toMatchObject({ failure_reason: 'provider_silent' });
  expect(await findFaults(app.pool, body.subscription_id)).toEqual([]);
});

test('subscribe.success: after a lost answer the second try waits once, and briefly', async () => {
  const shop = await createShop(app, { quantity: 1, period: 'year' });
  const { body } = await subscribe(app, shop, cards.timeoutBeforeCharging);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const [first] = await timersOf(body.subscription_id);
  expect(first).toBe(1);
  await call(app, 'DELETE', `/subscriptions/${body.subscription_id}`, { at: 'now' }, shop.consumer);
});

// These hours leave a slow machine seconds for the cancellation.
test.each([
  [{ quantity: 200, period: 'day' }, 4_800],
  [{ quantity: 30, period: 'week' }, 5_040],
] as const)('subscribe.expired: %j, canceled, then the access is over', async (period, hours) => {
  const shop = await createShop(app, period);
  const channel = await listen(app, shop.consumer);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  // The row is written a moment before the run waits.
  const [timer, ...others] = await until(async () => {
    const found = await timersOf(body.subscription_id);
    return found.length > 0 && found;
  });
  // A renewal happens up to half an hour after its period ends.
  expect([hours, hours + 1]).toContain(timer);
  expect(others).toEqual([]);
  await call(app, 'DELETE', `/subscriptions/${body.subscription_id}`, {}, shop.consumer);
  await channel.hears('subscribe.expired');
  expect(channel.heard.map(({ type }) => type)).toEqual([
    'access.granted',
    'subscribe.success',
    'subscribe.cancelled.success',
    'access.revoked',
    'subscribe.expired',
  ]);
  await channel.close();
});
