import { call } from '../support/client';
import { createConsumer, createShop } from '../support/factories';
import { live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';
import { tell } from '../support/visits';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: how many saw, registered and paid', async () => {
  const shop = await createShop(app);
  await createConsumer(app, shop.merchant);
  for (const visit of ['a', 'b', 'c', 'd'])
    await tell(app, shop.consumer, { type: 'paywall_view', item_id: shop.item.id, session_id: visit });
  await tell(app, shop.consumer, { type: 'checkout_start', item_id: shop.item.id, session_id: 'a' });
  await live(await startStory(app, shop), [['begin', 0]]);
  const { status, body } = await call(app, 'GET', '/analytics/funnel', undefined, shop.merchant);
  const counted = { seen: 4, registered: 2, checkout: 1, paid: 1, registered_rate: 0.5, paid_rate: 0.5 };
  expect([status, body]).toMatchObject([200, counted]);
});

test('422 invalid_input: a range that ends before it begins', async () => {
  const { merchant } = await createShop(app);
  const path = '/analytics/funnel?from=2026-02-02&to=2026-02-01';
  expect((await call(app, 'GET', path, undefined, merchant)).status).toBe(422);
});
