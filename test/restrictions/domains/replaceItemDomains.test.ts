import { call } from '../../support/client';
import { createOpenShop, type DomainRow, domainsOf, manage, refusalOf } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: creates, updates and deletes; the other type’s entries and the merchant’s list stay', async () => {
  const shop = await createOpenShop(app);
  const { id } = shop.item;
  const global = [{ domain: 'home.example' }];
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: global });
  await manage(app, shop, 'POST', `domain/blacklist/item/${id}`, { domains: [{ domain: 'evil.example' }] });
  await manage(app, shop, 'POST', `domain/whitelist/item/${id}`, {
    domains: [{ domain: 'a.example' }, { domain: 'b.example' }, { domain: 'c.example' }],
  });
  const { body: before } = await manage<{ domains: DomainRow[] }>(app, shop, 'GET', `domain/item/${id}`);
  const changed = before.domains.find(({ domain }) => domain === 'a.example');
  const domains = [
    { id: changed?.id, domain: 'a2.example' },
    { id: 0, domain: 'b.example' },
    { id: '', domain: 'd.example', comment: 'a partner' },
  ];
  expect((await manage(app, shop, 'PUT', `domain/whitelist/item/${id}`, { domains })).status).toBe(200);
  expect(await domainsOf(app, shop)).toEqual([
    'blacklist evil.example',
    'whitelist a2.example',
    'whitelist b.example',
    'whitelist d.example',
  ]);
  expect((await manage(app, shop, 'GET', 'domain')).body).toMatchObject(global);
  expect(await refusalOf(app, shop, { origin: 'https://c.example' })).toBe('domain');
});

test('200: an empty list, which only JSON can say, removes the item’s of this type', async () => {
  const shop = await createOpenShop(app);
  const path = `domain/whitelist/item/${shop.item.id}`;
  await manage(app, shop, 'POST', path, { domains: [{ domain: 'a.example' }] });
  const reply = await fetch(`${app.address}/restrictions/${path}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${shop.merchant.token}`, 'Content-Type': 'application/json' },
    body: '{"domains":[]}',
  });
  expect(reply.status).toBe(200);
  expect(await domainsOf(app, shop)).toEqual([]);
});

test('404 restriction_not_found: an id that the item’s list does not have; nothing changes', async () => {
  const shop = await createOpenShop(app);
  const path = `domain/whitelist/item/${shop.item.id}`;
  await manage(app, shop, 'POST', path, { domains: [{ domain: 'a.example' }] });
  const domains = [{ id: 2_000_000_000, domain: 'b.example' }];
  const { status, body } = await manage(app, shop, 'PUT', path, { domains });
  expect([status, body['error']]).toEqual([404, 'restriction_not_found']);
  expect(await domainsOf(app, shop)).toEqual(['whitelist a.example']);
});

test('404 item_not_found: another merchant’s item, whose list stays', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const path = `/restrictions/domain/whitelist/item/${neighbour.item.id}`;
  await call(app, 'POST', path, { domains: [{ domain: 'a.example' }] }, neighbour.merchant);
  const { status, body } = await call(app, 'PUT', path, { domains: [{ domain: 'b.example' }] }, shop.merchant);
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
  expect(await domainsOf(app, neighbour)).toEqual(['whitelist a.example']);
});

test.each(['no host', 'http://', '*.', ''])('422 invalid_input: the domain %j; nothing changes', async (domain) => {
  const shop = await createOpenShop(app);
  const path = `domain/whitelist/item/${shop.item.id}`;
  await manage(app, shop, 'POST', path, { domains: [{ domain: 'a.example' }] });
  const domains = [{ domain: 'b.example' }, { domain }];
  const { status, body } = await manage(app, shop, 'PUT', path, { domains });
  expect([status, body['errors']]).toEqual([422, { 'domains.1.domain': expect.any(String) as string }]);
  expect(await domainsOf(app, shop)).toEqual(['whitelist a.example']);
});
