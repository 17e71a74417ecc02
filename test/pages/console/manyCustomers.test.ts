import { createShop, type Shop } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** A search that finds more customers than the console counts. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  await app.pool.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), $1, $2, 'consumer', n || '@many.test', n || '@many.test',
       CASE WHEN n <= 10000 THEN 'Maria' ELSE 'Mario' END, '' FROM generate_series(1, 10005) AS n`,
    [shop.merchant.id, shop.merchant.uuid],
  );
  walker = await enterConsole(app, shop.merchant.email);
});
afterAll(() => app.stop());

const pagerIn = (text: string) => /<nav class="pager[^]*?<\/nav>/.exec(text)?.[0] ?? '';

test('200: the pager tells that there are more, and leads on to the last page', async () => {
  const first = pagerIn((await walker.open('/console/customers?search=many.test&size=100')).text);
  expect(first).toContain('Page 1 (more than 10,000)');
  expect(first).toContain('page=2');
  const later = pagerIn((await walker.open('/console/customers?search=many.test&size=100&page=100')).text);
  expect(later).toContain('Page 100 (more than 10,000)');
  expect(later).toContain('page=101');
  const last = pagerIn((await walker.open('/console/customers?search=many.test&size=100&page=101')).text);
  expect(last).toContain('Page 101 of 101 (10,005 total)');
  expect(last).not.toContain('page=102');
});

test('200: as many as are counted have their number, and a list without a search counts all', async () => {
  const counted = pagerIn((await walker.open('/console/customers?search=maria&size=100')).text);
  expect(counted).toContain('Page 1 of 100 (10,000 total)');
  const all = pagerIn((await walker.open('/console/customers?size=100')).text);
  expect(all).toContain('Page 1 of 101 (10,006 total)');
});
