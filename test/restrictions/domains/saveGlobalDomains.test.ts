import { createOpenShop, type DomainRow, manage, refusalOf } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const list = async (shop: Parameters<typeof manage>[1]) => (await manage<DomainRow[]>(app, shop, 'GET', 'domain')).body;

test('200: a whitelist lets its domains show the items, and their subdomains, and nobody else', async () => {
  const shop = await createOpenShop(app);
  const domains = [{ id: 0, domain: 'https://News.Example.org/page' }, { domain: 'xn--bcher-kva.example' }];
  const saved = await manage(app, shop, 'POST', 'domain/whitelist', { domains });
  expect(saved).toMatchObject({ status: 200, body: { code: 200 } });
  const from = (origin: string) => refusalOf(app, shop, { origin });
  expect(await from('https://news.example.org')).toBeUndefined();
  expect(await from('https://de.news.example.org:8443')).toBeUndefined();
  expect(await from('https://BÜCHER.example')).toBeUndefined();
  expect(await from('https://example.org')).toBe('domain');
  expect(await from('https://badnews.example.org')).toBe('domain');
  expect(await from('https://news.example.org.evil.example')).toBe('domain');
});

test('200: Origin counts before Referer; without both, or with a malformed one, a whitelist refuses', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ id: 0, domain: 'example.org' }] });
  const good = 'https://example.org/watch?id=1';
  expect(await refusalOf(app, shop, { referer: good })).toBeUndefined();
  expect(await refusalOf(app, shop, { origin: 'https://evil.example', referer: good })).toBe('domain');
  expect(await refusalOf(app, shop, { origin: 'null', referer: good })).toBe('domain');
  expect(await refusalOf(app, shop)).toBe('domain');
});

test('200: a blacklist reads the Referer only if the Origin names no host', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/blacklist', { domains: [{ id: 0, domain: 'evil.example' }] });
  const referer = 'https://evil.example/page';
  for (const origin of ['null', '', 'not a url', 'https://']) {
    expect(await refusalOf(app, shop, { origin, referer })).toBe('domain');
    expect(await refusalOf(app, shop, { origin, referer: 'https://example.org/page' })).toBeUndefined();
    expect(await refusalOf(app, shop, { origin })).toBeUndefined();
  }
  expect(await refusalOf(app, shop, { origin: 'https://example.org', referer })).toBeUndefined();
});

test('200: a blacklist refuses its domains and their subdomains, and nobody else', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/blacklist', { domains: [{ id: 0, domain: '*.evil.example' }] });
  expect(await refusalOf(app, shop, { origin: 'https://evil.example' })).toBe('domain');
  expect(await refusalOf(app, shop, { origin: 'http://a.b.evil.example' })).toBe('domain');
  expect(await refusalOf(app, shop, { origin: 'https://good.example' })).toBeUndefined();
  expect(await refusalOf(app, shop)).toBeUndefined();
});

test('200: a blacklist wins over a whitelist', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ id: 0, domain: 'example.org' }] });
  await manage(app, shop, 'POST', 'domain/blacklist', { domains: [{ id: 0, domain: 'old.example.org' }] });
  expect(await refusalOf(app, shop, { origin: 'https://old.example.org' })).toBe('domain');
  expect(await refusalOf(app, shop, { origin: 'https://new.example.org' })).toBeUndefined();
});

test('200: what is sent is added; a known domain stays once, and takes the type that was said last', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ id: 0, domain: 'a.example' }] });
  const domains = [{ domain: 'b.example' }, { domain: 'http://A.example:80/' }, { domain: 'b.example.' }];
  await manage(app, shop, 'POST', 'domain/blacklist', { domains });
  expect(await list(shop)).toMatchObject([
    { merchant_id: shop.merchant.id, item_id: null, type: 'blacklist', domain: 'a.example' },
    { merchant_id: shop.merchant.id, item_id: null, type: 'blacklist', domain: 'b.example' },
  ]);
});

test('200: entries are changed by their ids, and may take each other’s places', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ domain: 'a.example' }, { domain: 'b.example' }] });
  const [first, second] = await list(shop);
  const domains = [
    { id: first?.id, domain: 'b.example' },
    { id: second?.id, domain: 'a.example' },
  ];
  expect((await manage(app, shop, 'POST', 'domain/whitelist', { domains })).status).toBe(200);
  expect(await list(shop)).toMatchObject([
    { id: first?.id, domain: 'b.example' },
    { id: second?.id, domain: 'a.example' },
  ]);
});

test('200: several at once lose nothing', async () => {
  const shop = await createOpenShop(app);
  const names = Array.from({ length: 8 }, (_, index) => `n${index}.example`);
  await Promise.all(
    names.map((domain) => manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ id: 0, domain }] })),
  );
  expect((await list(shop)).map(({ domain }) => domain).sort()).toEqual(names);
});

test('404 restriction_not_found: the id of another merchant’s entry, and of an item’s; nothing is stored', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const domains = [{ id: 0, domain: 'a.example' }];
  await manage(app, neighbour, 'POST', 'domain/whitelist', { domains });
  await manage(app, shop, 'POST', `domain/whitelist/item/${shop.item.id}`, { domains });
  const [theirs] = await list(neighbour);
  const { body: ours } = await manage<DomainRow>(app, shop, 'GET', `domain/item/${shop.item.id}`);
  for (const id of [theirs?.id, ours.id]) {
    const sent = [
      { id: 0, domain: 'new.example' },
      { id, domain: 'b.example' },
    ];
    const { status, body } = await manage(app, shop, 'POST', 'domain/whitelist', { domains: sent });
    expect([status, body['error']]).toEqual([404, 'restriction_not_found']);
  }
  expect(await list(shop)).toEqual([]);
  expect(await list(neighbour)).toMatchObject([{ domain: 'a.example' }]);
});

test('404 restriction_not_found: a type that there is not', async () => {
  const shop = await createOpenShop(app);
  expect((await manage(app, shop, 'POST', 'domain/greylist', { domains: [{ domain: 'a.example' }] })).status).toBe(404);
});

test.each([
  'not a domain',
  'word',
  '*',
  '*.',
  'a..example',
  '-a.example',
  'me@example.org',
  'https://',
  'javascript:alert(1)',
  '127.1',
  '2130706433',
  `${'a'.repeat(64)}.example`,
  'a,b.example',
])('422 invalid_input: %s is no host name', async (domain) => {
  const shop = await createOpenShop(app);
  const sent = [
    { id: 0, domain: 'good.example' },
    { id: 0, domain },
  ];
  const { status, body } = await manage(app, shop, 'POST', 'domain/whitelist', { domains: sent });
  expect([status, body['errors']]).toEqual([422, { 'domains.1.domain': expect.any(String) as string }]);
  expect(await list(shop)).toEqual([]);
});

test('422 invalid_input: an entry takes a domain that another one has', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ domain: 'a.example' }, { domain: 'b.example' }] });
  const [first] = await list(shop);
  const domains = [{ id: first?.id, domain: 'b.example' }];
  const { status, body } = await manage(app, shop, 'POST', 'domain/whitelist', { domains });
  expect([status, body['errors']]).toEqual([422, { 'domains.0.domain': expect.any(String) as string }]);
});

test('422 invalid_input: more than 1,000 in a list', async () => {
  const shop = await createOpenShop(app);
  await app.pool.query(
    `INSERT INTO domain_restrictions (merchant_id, type, domain)
     SELECT $1, 'whitelist', 'n' || n || '.example' FROM generate_series(1, 1000) n`,
    [shop.merchant.id],
  );
  const { status } = await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ domain: 'one-more.example' }] });
  expect(status).toBe(422);
});
