import { type Card, type Fee, idsOf, type Page } from '../support/catalogue';
import { call } from '../support/client';
import { createItem, createMerchant, createShop, purchase } from '../support/factories';
import { grant } from '../support/grant';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: nobody sees a price or can buy; who paid keeps access, and the merchant its row', async () => {
  const shop = await createShop(app);
  const { merchant, consumer, item, fee } = shop;
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  const reply = await call(app, 'DELETE', `/items/${item.id}`, undefined, merchant);
  expect(reply).toMatchObject({ status: 200, body: { code: 200, message: 'Item successfully deactivated' } });

  const card = await call<Card>(app, 'GET', `/items/${item.id}`);
  expect(card.body).toMatchObject({ is_active: false, active: false, access_fees: [] });
  expect((await call<Fee[]>(app, 'GET', `/v2/items/${item.id}/access-fees`)).body).toEqual([]);
  expect((await call<Page<Card>>(app, 'GET', `/items/${merchant.uuid}`)).body.collection).toEqual([]);
  expect(await call(app, 'POST', '/subscriptions', purchase(shop), consumer)).toMatchObject({
    status: 404,
    body: { error: 'access_fee_not_found' },
  });
  const access = await call<{ item: object }>(app, 'GET', `/items/${item.id}/access`, undefined, consumer);
  expect(access).toMatchObject({ status: 200, body: { item: { content: '<p>The final.</p>' } } });
  const own = await call<Card>(app, 'GET', `/v2/items/${merchant.uuid}/${item.id}`, undefined, merchant);
  expect(idsOf(own.body.access_fees)).toEqual([fee.id]);
});

test('200: again does no harm', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  const remove = () => call(app, 'DELETE', `/items/${id}`, undefined, merchant);
  expect([(await remove()).status, (await remove()).status]).toEqual([200, 200]);
});

test('404 item_not_found: no such item, and an item of another merchant, which stays on sale', async () => {
  const { id } = await createItem(app, await createMerchant(app));
  const stranger = await createMerchant(app);
  for (const itemId of [2_147_483_647, id])
    expect(await call(app, 'DELETE', `/items/${itemId}`, undefined, stranger)).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
  expect((await call<Card>(app, 'GET', `/items/${id}`)).body.is_active).toBe(true);
});
