import { createCode } from '../../support/access';
import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, isTooWide, startChromium } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher, giveGift } from '../../support/vouchers';

/** The search box of the console. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;
let subscription: string;
let trxToken: string;
let refund: string;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  shop = await createShop(app);
  const { merchant, consumer } = shop;
  const { body } = await subscribe(app, shop);
  subscription = body.subscription_id;
  await reaches(app, consumer, subscription, 'active');
  const { rows } = await app.pool.query<{ trx_token: string; token: string }>(
    `WITH charged AS (SELECT * FROM charges WHERE merchant_id = $1 AND status = 'paid'), refunded AS (
       INSERT INTO refunds (token, merchant_id, account_id, charge_id, amount_minor, currency, revoke_access, state, requested_by)
       SELECT 'R-' || gen_random_uuid(), merchant_id, account_id, id, 1, currency, false, 'failed', $1 FROM charged
       RETURNING token)
     SELECT trx_token, token FROM charged, refunded`,
    [merchant.id],
  );
  trxToken = rows[0]?.trx_token ?? '';
  refund = rows[0]?.token ?? '';
  walker = await enterConsole(app, merchant.email);
});
afterAll(() => app.stop());

const addressOf = (query: string) => `/console/search?${new URLSearchParams({ query }).toString()}`;
const search = (query: string, visitor = walker) => visitor.open(addressOf(query));
/** The headings and links of the results, without the menu. */
function resultsOf(text: string) {
  const content = text.slice(text.indexOf('<h1>'), text.indexOf('</main>'));
  return {
    kinds: [...content.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, title]) => title),
    links: [...content.matchAll(/<a href="(\/console\/[^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&')),
  };
}
const find = async (query: string, visitor = walker) => resultsOf((await search(query, visitor)).text);

test.each([
  ['a subscription', () => subscription, () => `/console/subscriptions/${subscription}`],
  ['a charge', () => trxToken, () => `/console/transactions/${trxToken}/refund`],
  ['a refund', () => refund, () => `/console/transactions/${trxToken}/refund`],
  ['a token between spaces', () => ` ${subscription} `, () => `/console/subscriptions/${subscription}`],
])('303 to its page: the token of %s', async (_kind, token, address) => {
  const { status, headers } = await search(token());
  expect([status, headers.get('location')]).toEqual([303, address()]);
  expect((await walker.open(address())).status).toBe(200);
});

test('303 to its page: the token of a payment that is made once', async () => {
  const { consumer, item, fee, merchant } = shop;
  await app.pool.query(
    `INSERT INTO payments (token, merchant_id, account_id, item_id, access_fee_id, state, environment, access_type,
       period_quantity, period, price_minor, charged_minor, currency)
     VALUES ('C-ONCE', $1, $2, $3, $4, 'failed', 'sandbox', 'ppv', 1, 'day', 999, 999, 'EUR')`,
    [merchant.id, consumer.id, item.id, fee.id],
  );
  expect((await search('C-ONCE')).headers.get('location')).toBe(`/console/customers/${consumer.id}`);
});

test('a part of a token finds nothing', async () => {
  expect((await find(subscription.slice(0, -1))).kinds).toEqual([]);
});

test('codes are found whole, in every spelling that customers may enter', async () => {
  const { body: code } = await createCode(app, shop, { code: 'Open-Door-77' });
  const voucher = await createVoucher(app, shop.merchant, { code: 'Lent40' });
  expect(await find('open door 77')).toEqual({
    kinds: ['Access codes'],
    links: [`/console/items/${shop.item.id}/codes/${code.code_id}`],
  });
  expect(await find('lent40')).toEqual({ kinds: ['Vouchers'], links: [`/console/vouchers/${voucher.id}`] });
  for (const part of ['open-door', 'lent4']) expect((await find(part)).kinds).toEqual([]);
  await call(app, 'DELETE', `/vouchers/${voucher.id}`, undefined, shop.merchant);
  expect((await find('lent40')).kinds).toEqual([]);
});

test('the code of a gift belongs to its receiver, and is not found', async () => {
  const { code } = await giveGift(shop);
  expect((await find(code)).kinds).toEqual([]);
});

test('customers and items are found by a part of their names', async () => {
  const { consumer, item } = shop;
  expect(await find(consumer.email.toUpperCase().slice(0, -3))).toEqual({
    kinds: ['Customers'],
    links: [`/console/customers/${consumer.id}`],
  });
  expect(await find('up fin')).toEqual({ kinds: ['Items'], links: [`/console/items/${item.id}`] });
});

test('five of a kind are shown, and the list shows the others', async () => {
  await app.pool.query(
    `INSERT INTO items (merchant_id, title, item_type, is_active)
     SELECT $1, 'Derby & more ' || n, 'html_asset', n > 3 FROM generate_series(1, 6) AS n`,
    [shop.merchant.id],
  );
  const { kinds, links } = await find('derby & more');
  expect([kinds, links.length]).toEqual([['Items'], 6]);
  const list = links.at(-1) ?? '';
  expect(list).toBe('/console/items?search=derby+%26+more&active=all');
  expect((await walker.open(list)).text.match(/Derby &amp; more \d/g)).toHaveLength(6);
});

test.each(['%', '_', '\\', '%up%', 'c_p'])('%s is no wildcard', async (term) => {
  expect((await find(term)).kinds).toEqual([]);
});

test('an empty term shows a hint', async () => {
  for (const address of ['/console/search', addressOf(''), addressOf('  ')]) {
    const { status, text } = await walker.open(address);
    expect([status, text.includes('Enter a name, an email address')]).toEqual([200, true]);
  }
});

test('a term that matches nothing is named, and is only text', async () => {
  const { status, text } = await search('<script>alert(1)</script>"');
  expect(status).toBe(200);
  expect(text).toContain('Nothing matches “&lt;script&gt;alert(1)&lt;/script&gt;&quot;”.');
  expect(text).not.toContain('<script>alert(1)');
});

test('422: the term is longer than a list allows', async () => {
  expect((await search('x'.repeat(200))).status).toBe(200);
  const { status, text } = await search('x'.repeat(201));
  expect(status).toBe(422);
  expect(text).toContain('The search term must have at most 200 characters.');
});

test.each(['\u0000', 'cup\u0000', '99999999999999999999', '\ud800', ':'])('no fault: the term %j', async (term) => {
  expect((await search(term)).status).toBeLessThan(500);
});

test('what belongs to another merchant is not found', async () => {
  const other = await createShop(app);
  const { body: code } = await createCode(app, shop, { code: 'Private-Code-9' });
  const voucher = await createVoucher(app, shop.merchant, { code: 'PRIVATE9' });
  const stranger = await enterConsole(app, other.merchant.email);
  for (const term of [subscription, trxToken, refund, code.code, voucher.code, shop.consumer.email])
    expect([term, (await find(term, stranger)).kinds]).toEqual([term, []]);
});

describe('a person sees only what their rights allow', () => {
  const terms = () => [subscription, trxToken, shop.consumer.email, 'Cup final', 'RIGHTS-CODE-1', 'RIGHTS40'];
  beforeAll(async () => {
    await createCode(app, shop, { code: 'RIGHTS-CODE-1' });
    await createVoucher(app, shop.merchant, { code: 'RIGHTS40' });
  });

  test.each([
    [['payments:read'], [true, true, false, false, false, false]],
    [['accounts:read'], [false, false, true, false, false, false]],
    [['items:read'], [false, false, false, true, true, false]],
    [['vouchers:read'], [false, false, false, false, false, true]],
  ])('of the staff with %j', async (scopes, expected) => {
    const role = await call<{ id: number }>(
      app,
      'POST',
      '/v2/staff/roles',
      { name: scopes.join(), scopes },
      shop.merchant,
    );
    const person = await createStaff(app, shop.merchant, { role_id: role.body.id });
    const visitor = await enterConsole(app, person.email);
    const found = [];
    for (const term of terms()) {
      const { status, text } = await search(term, visitor);
      found.push(status === 303 || resultsOf(text).kinds.length > 0);
    }
    expect(found).toEqual(expected);
  });

  test('without the right to refund, a charge leads to its subscription', async () => {
    const scopes = ['payments:read'];
    const role = await call<{ id: number }>(app, 'POST', '/v2/staff/roles', { name: 'Readers', scopes }, shop.merchant);
    const person = await createStaff(app, shop.merchant, { role_id: role.body.id });
    const { headers } = await search(trxToken, await enterConsole(app, person.email));
    expect(headers.get('location')).toBe(`/console/subscriptions/${subscription}`);
  });

  test('403 and no search box: no right allows to find anything', async () => {
    const follower = await createFollower(app, shop.merchant, ['reports:read']);
    const visitor = await enterConsole(app, follower.email);
    expect((await visitor.open('/console')).text).not.toContain('search-everywhere');
    expect((await search('Cup final', visitor)).status).toBe(403);
    expect((await walker.open('/console')).text).toContain('search-everywhere');
  });

  test('vouchers are not found where the merchant has turned them off', async () => {
    await call(app, 'PUT', '/v2/features/vouchers', { enabled: false }, shop.merchant);
    expect((await find('RIGHTS40')).kinds).toEqual([]);
    await call(app, 'PUT', '/v2/features/vouchers', { enabled: true }, shop.merchant);
    expect((await find('RIGHTS40')).kinds).toEqual(['Vouchers']);
  });

  test('303 to the sign-in: nobody is signed in', async () => {
    const response = await fetch(`${app.address}${addressOf('Cup final')}`, { redirect: 'manual' });
    expect(response.headers.get('location')).toMatch(/^\/console\/sign-in\?next=/);
  });
});

describeInBrowser('the search box', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(() => chromium.close());

  test.each([1280, 375])('is in the banner, and Enter leads to what it finds, at %i pixels', async (width) => {
    const visitor = await chromium.newVisitor({ width });
    const { enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    const { page } = visitor;
    await enter(shop.merchant.email);
    const box = page.getByLabel('Find anything').and(page.getByRole('searchbox'));
    await box.fill('Cup');
    await box.press('Enter');
    await page.getByRole('heading', { name: 'Items' }).waitFor();
    expect(await box.inputValue()).toBe('Cup');
    expect(await isTooWide(page)).toBe(false);
    expect(await faultsOf(visitor, `console-search-${width}`)).toEqual([]);
    await box.fill('nowhere');
    await box.press('Enter');
    await page.getByText('Nothing matches “nowhere”.').waitFor();
    expect(await faultsOf(visitor, `console-search-none-${width}`)).toEqual([]);
    await box.fill('cup');
    await box.press('Enter');
    await page.locator('main').getByRole('link', { name: 'Cup final' }).click();
    await page.getByRole('heading', { name: 'Cup final' }).first().waitFor();
    await box.fill(subscription);
    await box.press('Enter');
    await page.waitForURL(`**/console/subscriptions/${subscription}`);
    await visitor.context.close();
  });
});
