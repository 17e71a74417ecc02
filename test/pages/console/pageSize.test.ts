import { createShop, type Shop } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** The number of rows on a page of a list. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  await app.pool.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), $1, $2, 'consumer', n || $3, n || $3, '', '' FROM generate_series(1, 59) AS n`,
    [shop.merchant.id, shop.merchant.uuid, `@${shop.merchant.uuid}.test`],
  );
  walker = await enterConsole(app, shop.merchant.email);
});
afterAll(() => app.stop());

const rowsIn = (text: string) => (text.match(/<th scope="row"/g) ?? []).length;
const sizesIn = (text: string) =>
  [...(/<span class="sizes"[^]*?<\/nav>/.exec(text)?.[0] ?? '').matchAll(/href="([^"]*size=[^"]*)"/g)].map(
    ([, address = '']) => address.replaceAll('&amp;', '&'),
  );

test('200: a page has 15 rows, or as many as were chosen, and the choice stays on the next page', async () => {
  const first = await walker.open('/console/customers?page=2');
  expect(rowsIn(first.text)).toBe(15);
  expect(sizesIn(first.text)).toEqual(['15', '50', '100'].map((size) => `/console/customers?size=${size}`));
  const larger = await walker.open('/console/customers?size=50');
  expect(rowsIn(larger.text)).toBe(50);
  expect(larger.text).toContain('href="/console/customers?size=50&amp;page=2"');
  expect(rowsIn((await walker.open('/console/customers?size=50&page=2')).text)).toBe(10);
  expect(rowsIn((await walker.open('/console/customers?size=100')).text)).toBe(60);
});

test('200: a search keeps its term, and the file has every row', async () => {
  const { text } = await walker.open('/console/customers?search=test&size=50');
  expect(sizesIn(text)[2]).toBe('/console/customers?search=test&size=100');
  const [, file = ''] = /href="(\/console\/csv\/customers[^"]*)"/.exec(text) ?? [];
  expect(file).not.toContain('size=');
  expect((await walker.open(file.replaceAll('&amp;', '&'))).text.trim().split('\r\n')).toHaveLength(60);
});

test.each(['7', '500', '-1', 'many', ''])('200: size %p is none of the choices and is left out', async (size) => {
  const { status, text } = await walker.open(`/console/customers?size=${size}`);
  expect([status, rowsIn(text)]).toEqual([200, 15]);
});

test.each([
  '/console/subscriptions',
  '/console/transactions',
  '/console/invoices',
  '/console/vouchers',
  '/console/items',
  '/console/packages',
  '/console/audit',
])('200: %s takes a size, and a short list offers none', async (path) => {
  const { status, text } = await walker.open(`${path}?size=100`);
  expect([status, sizesIn(text)]).toEqual([200, []]);
});

test('200: an action takes all hundred rows of a page', async () => {
  const { text } = await walker.open('/console/customers?size=100');
  const [, rows = ''] = /name="page_rows" value="([^"]+)"/.exec(text) ?? [];
  expect(rows.split(',')).toHaveLength(60);
  const query = new URLSearchParams({ page_rows: rows, all: 'true', action: 'grant' }).toString();
  expect((await walker.open(`/console/chosen/customers?${query}`)).text).toContain('60 rows selected');
});
