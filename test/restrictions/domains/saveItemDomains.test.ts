import { createOpenItem, createOpenShop, domainsOf, manage, refusalOf } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the item’s own list wins over the merchant’s; other items keep the merchant’s', async () => {
  const shop = await createOpenShop(app);
  const other = await createOpenItem(app, shop);
  const origin = 'https://partner.example';
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ id: 0, domain: 'home.example' }] });
  const path = `domain/whitelist/item/${shop.item.id}`;
  expect((await manage(app, shop, 'POST', path, { domains: [{ id: 0, domain: origin }] })).status).toBe(200);
  expect(await refusalOf(app, shop, { origin })).toBeUndefined();
  expect(await refusalOf(app, shop, { origin: 'https://home.example' })).toBe('domain');
  expect(await refusalOf(app, other, { origin })).toBe('domain');
});

test('200: an item’s blacklist stands in for the merchant’s whitelist', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ domain: 'home.example' }] });
  await manage(app, shop, 'POST', `domain/blacklist/item/${shop.item.id}`, { domains: [{ domain: 'evil.example' }] });
  expect(await refusalOf(app, shop)).toBeUndefined();
  expect(await refusalOf(app, shop, { origin: 'https://evil.example' })).toBe('domain');
});

test('200: what is sent is added to the item’s list', async () => {
  const shop = await createOpenShop(app);
  const save = (type: string, domain: string) =>
    manage(app, shop, 'POST', `domain/${type}/item/${shop.item.id}`, { domains: [{ id: 0, domain }] });
  await save('whitelist', 'a.example');
  await save('whitelist', 'b.example');
  await save('blacklist', 'x.a.example');
  expect(await domainsOf(app, shop)).toEqual(['whitelist a.example', 'whitelist b.example', 'blacklist x.a.example']);
});

test('404 restriction_not_found: the id of an entry of the merchant’s list', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ domain: 'a.example' }] });
  const { body } = await manage<{ id: number }[]>(app, shop, 'GET', 'domain');
  const domains = [{ id: body[0]?.id, domain: 'b.example' }];
  const reply = await manage(app, shop, 'POST', `domain/whitelist/item/${shop.item.id}`, { domains });
  expect([reply.status, reply.body['error']]).toEqual([404, 'restriction_not_found']);
});

test('404 item_not_found: another merchant’s item', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const domains = [{ domain: 'a.example' }];
  const { status, body } = await manage(app, shop, 'POST', `domain/whitelist/item/${neighbour.item.id}`, { domains });
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
  expect(await domainsOf(app, neighbour)).toEqual([]);
});

test('422 invalid_input: a domain that is no host name', async () => {
  const shop = await createOpenShop(app);
  const domains = [{ domain: 'no host' }];
  const { status, body } = await manage(app, shop, 'POST', `domain/whitelist/item/${shop.item.id}`, { domains });
  expect([status, body['errors']]).toEqual([422, { 'domains.0.domain': expect.any(String) as string }]);
});
