import { createOpenShop, domainsOf, manage, refusalOf } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const domains = [{ domain: 'a.example' }, { domain: 'b.example' }];

test('200: one domain, then all; the merchant’s list applies again', async () => {
  const shop = await createOpenShop(app);
  const path = `domain/item/${shop.item.id}`;
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ domain: 'home.example' }] });
  await manage(app, shop, 'POST', `domain/whitelist/item/${shop.item.id}`, { domains });
  expect((await manage(app, shop, 'DELETE', `${path}?domain=a.example`)).status).toBe(200);
  expect(await domainsOf(app, shop)).toEqual(['whitelist b.example']);
  expect(await refusalOf(app, shop, { origin: 'https://home.example' })).toBe('domain');
  expect((await manage(app, shop, 'DELETE', path)).status).toBe(200);
  expect(await refusalOf(app, shop, { origin: 'https://home.example' })).toBeUndefined();
  expect(await refusalOf(app, shop, { origin: 'https://b.example' })).toBe('domain');
});

test('404 restriction_not_found: a domain that the item’s list does not have', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', `domain/whitelist/item/${shop.item.id}`, { domains });
  const { status, body } = await manage(app, shop, 'DELETE', `domain/item/${shop.item.id}?domain=c.example`);
  expect([status, body['error']]).toEqual([404, 'restriction_not_found']);
  expect(await domainsOf(app, shop)).toHaveLength(2);
});

test('404 item_not_found: another merchant’s item, whose list stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  await manage(app, neighbour, 'POST', `domain/whitelist/item/${neighbour.item.id}`, { domains });
  const { status, body } = await manage(app, shop, 'DELETE', `domain/item/${neighbour.item.id}`);
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
  expect(await domainsOf(app, neighbour)).toHaveLength(2);
});
