import { call } from '../../support/client';
import { createShop, type Shop } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { live, startStory } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';

/** Lists of subscriptions, of large packages and of reports. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;
let token: string;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00' });
  const story = await startStory(app, shop);
  token = story.token;
  await live(story, [['begin', 0]]);
  walker = await enterConsole(app, shop.merchant.email);
});

afterAll(() => app.stop());

test.each([
  ['the list of subscriptions', () => '/console/subscriptions'],
  ['the page of one', () => `/console/subscriptions/${token}`],
])('%s names the customer, and leads to it', async (_page, address) => {
  const { text } = await walker.open(address());
  const link = new RegExp(`<a href="/console/customers/${shop.consumer.id}">([^]*?)</a>`).exec(text)?.[1] ?? '';
  expect(link.replaceAll(/<[^>]*>/g, '')).toBe(shop.consumer.email);
});

test('what a package holds is turned over page by page, and is offered no second time', async () => {
  const made = { title: 'Season', item_type: 'package' };
  const { body } = await call<{ id: number }>(app, 'POST', '/v2/items', made, shop.merchant);
  await app.pool.query(
    `WITH held AS (INSERT INTO items (merchant_id, title, item_type)
       SELECT $1, 'Match ' || n, 'html_asset' FROM generate_series(1, 20) AS n RETURNING id)
     INSERT INTO package_items (merchant_id, package_id, item_id) SELECT $1, $2, id FROM held`,
    [shop.merchant.id, body.id],
  );
  const pages = await Promise.all(
    ['', '?page=2'].map(async (page) => (await walker.open(`/console/items/${body.id}${page}`)).text),
  );
  const held = pages.map((text) => [...text.matchAll(/members\/(\d+)\/remove/g)].map(([, id]) => id));
  expect(held.map((ids) => ids.length)).toEqual([15, 5]);
  expect(new Set(held.flat()).size).toBe(20);
  for (const text of pages) expect(text).not.toContain('>Match 1</option>');
  expect(pages[0]).toContain('Cup final</option>');
});

test('an item that is none of the newest is found for a package by its title or number', async () => {
  const { merchant } = shop;
  const made = { title: 'Archive', item_type: 'package' };
  const { body } = await call<{ id: number }>(app, 'POST', '/v2/items', made, merchant);
  const old = await call<{ id: number }>(
    app,
    'POST',
    '/v2/items',
    { title: 'Oldest', item_type: 'html_asset' },
    merchant,
  );
  await app.pool.query(
    `INSERT INTO items (merchant_id, title, item_type)
     SELECT $1, 'Newer ' || n, 'html_asset' FROM generate_series(1, 60) AS n`,
    [merchant.id],
  );
  const page = `/console/items/${body.id}`;
  expect((await walker.open(page)).text).not.toContain('>Oldest</option>');
  for (const find of ['oldes', String(old.body.id)])
    expect((await walker.open(`${page}?find=${find}`)).text).toContain('>Oldest</option>');
  expect((await walker.open(`${page}?find=nowhere`)).text).toContain('No other items on sale match your search.');
  await walker.open(`${page}?find=oldest`);
  await walker.submit(`${page}/members`, { item_id: String(old.body.id) });
  expect((await walker.open(page)).text).toContain(`members/${old.body.id}/remove`);
  expect((await walker.open(`${page}?find=oldest`)).text).not.toContain('>Oldest</option>');
});

test('reports look back as far as is chosen, in bars that can be told apart', async () => {
  const { text } = await walker.open('/console/reports?to=2026-06-30&from=2026-06-01&interval=day');
  const links = [...text.matchAll(/href="(\/console\/reports\?[^"]*from=[^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );
  const year = links.find((address) => address.includes('from=2025-07-01')) ?? '';
  expect(year).toContain('to=2026-06-30');
  expect(year).not.toContain('interval');
  expect((await walker.open(year)).text).toMatch(/<option value="week"\s+selected/);
});
