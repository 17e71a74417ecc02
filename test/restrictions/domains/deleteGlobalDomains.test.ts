import { createOpenShop, domainsOf, manage, refusalOf } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const domains = [{ domain: 'a.example' }, { domain: 'b.example' }];

test('200: one domain, then all; an item’s list stays', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains });
  await manage(app, shop, 'POST', `domain/blacklist/item/${shop.item.id}`, { domains });
  expect((await manage(app, shop, 'DELETE', 'domain?domain=a.example')).status).toBe(200);
  expect((await manage(app, shop, 'GET', 'domain')).body).toMatchObject([{ domain: 'b.example' }]);
  expect((await manage(app, shop, 'DELETE', 'domain')).status).toBe(200);
  expect((await manage(app, shop, 'GET', 'domain')).body).toEqual([]);
  expect(await domainsOf(app, shop)).toEqual(['blacklist a.example', 'blacklist b.example']);
});

test('200: without its last domain a whitelist refuses nobody', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains });
  expect(await refusalOf(app, shop)).toBe('domain');
  await manage(app, shop, 'DELETE', 'domain');
  expect(await refusalOf(app, shop)).toBeUndefined();
});

test('404 restriction_not_found: a domain that is not in the list, which stays', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains });
  const { status, body } = await manage(app, shop, 'DELETE', 'domain?domain=c.example');
  expect([status, body['error']]).toEqual([404, 'restriction_not_found']);
  expect((await manage(app, shop, 'GET', 'domain')).body).toHaveLength(2);
});
