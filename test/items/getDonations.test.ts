import { call } from '../support/client';
import { createShop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const path = (id: number) => `/v2/items/${id}/donations`;

test('200: that nothing can be donated, in the shape that clients read', async () => {
  const { item, consumer, merchant } = await createShop(app);
  for (const person of [consumer, merchant])
    expect(await call(app, 'GET', path(item.id), undefined, person)).toMatchObject({
      status: 200,
      body: { donations: null, donation_options: { id: item.id, item_id: item.id, custom_price_enabled: false } },
    });
});

test('404 item_not_found: another merchant’s item, as one that does not exist', async () => {
  const [{ consumer }, { item }] = [await createShop(app), await createShop(app)];
  for (const id of [item.id, 2_147_483_647])
    expect(await call(app, 'GET', path(id), undefined, consumer)).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
});
