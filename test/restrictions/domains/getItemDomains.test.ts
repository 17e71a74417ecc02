import { createOpenShop, manage } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the item’s first entry, and all of them; one when it is named', async () => {
  const shop = await createOpenShop(app);
  const path = `domain/item/${shop.item.id}`;
  const domains = [{ domain: 'a.example' }, { domain: 'b.example' }];
  await manage(app, shop, 'POST', `domain/whitelist/item/${shop.item.id}`, { domains });
  const entry = (domain: string) => ({
    id: expect.any(Number) as number,
    merchant_id: shop.merchant.id,
    item_id: shop.item.id,
    type: 'whitelist',
    domain,
  });
  const { status, body } = await manage(app, shop, 'GET', path);
  expect([status, body]).toEqual([200, { ...entry('a.example'), domains: [entry('a.example'), entry('b.example')] }]);
  expect((await manage(app, shop, 'GET', `${path}?domain=b.example`)).body).toEqual({
    ...entry('b.example'),
    domains: [entry('b.example')],
  });
});

test('404 restriction_not_found: the item has no list, or not this domain', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ domain: 'a.example' }] });
  const path = `domain/item/${shop.item.id}`;
  expect((await manage(app, shop, 'GET', path)).body).toMatchObject({ error: 'restriction_not_found' });
  await manage(app, shop, 'POST', `domain/whitelist/item/${shop.item.id}`, { domains: [{ domain: 'b.example' }] });
  expect((await manage(app, shop, 'GET', `${path}?domain=a.example`)).status).toBe(404);
});

test('404 item_not_found: another merchant’s item', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { status, body } = await manage(app, shop, 'GET', `domain/item/${neighbour.item.id}`);
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
});
