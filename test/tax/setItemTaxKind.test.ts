import { call } from '../support/client';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the kind of an item is set, and changed', async () => {
  const { item, merchant } = await createPayShop(app);
  for (const kind of ['press', 'ebook']) {
    const set = await call(app, 'PUT', `/v2/tax/items/${item.id}`, { item_kind: kind }, merchant);
    expect(set).toMatchObject({ status: 200, body: { item_id: item.id, item_kind: kind } });
  }
});

test('404 item_not_found: an item of another merchant', async () => {
  const [{ item }, { merchant }] = [await createPayShop(app), await createPayShop(app)];
  const { status } = await call(app, 'PUT', `/v2/tax/items/${item.id}`, { item_kind: 'press' }, merchant);
  expect(status).toBe(404);
});
