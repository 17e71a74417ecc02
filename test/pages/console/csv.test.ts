import { createConsumer, createShop, type Shop } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole } from '../../support/pageWalker';
import { live, startStory } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';
import { tell } from '../../support/visits';

/** Every list of the console as a file. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00' });
  await live(await startStory(app, shop), [['begin', 0]]);
});

afterAll(() => app.stop());

const fileOn = (text: string) => /href="(\/console\/csv\/[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

test.each([
  ['/console/customers', 'customers', 'id,uuid,email'],
  ['/console/subscriptions', 'subscriptions', 'subscription_id,status'],
  ['/console/transactions', 'payment-history', 'trx_token,transaction_token'],
  ['/console/reports/transactions', 'transactions', 'id,type,kind'],
  ['/console/items', 'items', 'id,title,item_type'],
  ['/console/reports/movements', 'movements', 'id,kind,reason'],
  ['/console/reports/transitions', 'transitions', 'id,subscription_id,account_id'],
])('%s leads to its file', async (path, list, head) => {
  const walker = await enterConsole(app, shop.merchant.email);
  const address = fileOn((await walker.open(path)).text);
  expect(address.split('?')[0]).toBe(`/console/csv/${list}`);
  const { status, headers, text } = await walker.open(address);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${list}.csv"`);
  const [first, ...rows] = text.trim().split('\r\n');
  expect(first).toMatch(new RegExp(`^${head}`));
  expect(rows.length).toBeGreaterThan(0);
});

test('a file has all rows of more than one reading, and no cell that is a formula', async () => {
  const { merchant } = shop;
  const { id } = await createConsumer(app, merchant);
  await app.pool.query(`UPDATE accounts SET full_name = '=HYPERLINK("http://evil")' WHERE id = $1`, [id]);
  await app.pool.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), $1, $2, 'consumer', n || '@many.test', n || '@many.test', '', ''
     FROM generate_series(1, 2500) AS n`,
    [merchant.id, merchant.uuid],
  );
  const { text } = await (await enterConsole(app, merchant.email)).open('/console/csv/customers');
  expect(text.split('\r\n').filter((line) => line.includes('@many.test'))).toHaveLength(2500);
  expect(text).toContain(`"'=HYPERLINK(""http://evil"")"`);
});

test('what the rows of a report were asked by goes for their file', async () => {
  const walker = await enterConsole(app, shop.merchant.email);
  const { text } = await walker.open('/console/reports/transactions?type=charge&from=2020-01-01');
  const address = fileOn(text);
  expect(address).toContain('type=charge');
  expect((await walker.open(address)).text.trim().split('\r\n')).toHaveLength(2);
  expect((await walker.open(address.replace('charge', 'refund'))).text.trim().split('\r\n')).toHaveLength(1);
});

const linesOf = (text: string) => text.trim().split('\r\n').slice(1);

test.each([
  ['/console/customers?search=NAME', '/console/customers?search=nobody'],
  ['/console/subscriptions?status=active', '/console/subscriptions?status=paused'],
  ['/console/transactions?type=recurrent', '/console/transactions?type=refund'],
  ['/console/items?search=Cup+final', '/console/items?search=nothing'],
  ['/console/reports/movements?kind=new', '/console/reports/movements?kind=churn_voluntary'],
  ['/console/reports/transitions?state=active', '/console/reports/transitions?state=paused'],
])('the file of %s holds what the page does', async (wanted, unwanted) => {
  const walker = await enterConsole(app, shop.merchant.email);
  const page = await walker.open(wanted.replace('NAME', encodeURIComponent(shop.consumer.email)));
  const address = fileOn(page.text);
  expect(address).toContain('?');
  const { status, text } = await walker.open(address);
  expect([status, linesOf(text).length]).toEqual([200, (page.text.match(/<th scope="row"/g) ?? []).length]);
  expect(linesOf(text).length).toBeGreaterThan(0);
  // A page without rows has no link to a file, so its query is sent to the file's address.
  const [asked = '', value = ''] = unwanted.split('=');
  const name = asked.split('?')[1] ?? '';
  const other = new URL(address, 'http://console');
  const [known = name] = [...other.searchParams.keys()].filter((each) => each.startsWith(name));
  other.searchParams.set(known, known.startsWith('search') ? `title:${value}` : value);
  expect(linesOf((await walker.open(`${other.pathname}${other.search}`)).text)).toEqual([]);
});

test('the audience has a file of each of its parts, for the days of the page', async () => {
  const other = await createShop(app);
  await tell(app, other.consumer, { type: 'paywall_view', item_id: other.item.id, session_id: 'a' });
  const walker = await enterConsole(app, other.merchant.email);
  const { text } = await walker.open('/console/reports/audience');
  const files = [...text.matchAll(/href="(\/console\/csv\/([^"?]+)\?from=[\d-]+&amp;to=[\d-]+)"/g)];
  expect([...new Set(files.map(([, , list]) => list))].sort()).toEqual(['audience', 'funnel', 'item-events']);
  for (const [, address = ''] of files) {
    const file = await walker.open(address.replaceAll('&amp;', '&'));
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(linesOf(file.text).length).toBeGreaterThan(0);
  }
});

test('who may not see a list has no file of it', async () => {
  const follower = await createFollower(app, shop.merchant, ['accounts:read']);
  const walker = await enterConsole(app, follower.email);
  expect((await walker.open('/console/customers')).text).not.toContain('/console/csv/');
  expect((await walker.open('/console/csv/customers')).status).toBe(403);
  const reader = await enterConsole(app, (await createFollower(app, shop.merchant, ['reports:read'])).email);
  expect((await reader.open('/console/csv/customers')).status).toBe(403);
  expect((await reader.open('/console/csv/secrets')).status).toBe(404);
});
