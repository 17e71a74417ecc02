import { call } from '../support/client';
import { createItem, createShop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { tell } from '../support/visits';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: what visitors did at each item', async () => {
  const shop = await createShop(app);
  const other = await createItem(app, shop.merchant, { title: 'Semi-final' });
  for (const session_id of ['a', 'b'])
    await tell(app, shop.consumer, { type: 'paywall_view', item_id: other.id, session_id });
  await tell(app, shop.consumer, { type: 'playback_start', item_id: shop.item.id, session_id: 'a' });
  const { status, body } = await call(app, 'GET', '/analytics/items', undefined, shop.merchant);
  const collection = [
    { item_id: shop.item.id, title: 'Cup final', events: { playback_start: 1 } },
    { item_id: other.id, title: 'Semi-final', events: { paywall_view: 2 } },
  ];
  expect([status, body]).toMatchObject([200, { collection }]);
});

test('422 invalid_input: a day that is none', async () => {
  const { merchant } = await createShop(app);
  expect((await call(app, 'GET', '/analytics/items?from=soon', undefined, merchant)).status).toBe(422);
});
