import { type Page } from 'playwright-core';
import { copyRow } from '../../support/copies';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { createFee, createItem, type Shop } from '../../support/factories';
import { createTaxedShop, payAsOther } from '../../support/invoices';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { live, startStory } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher } from '../../support/vouchers';

/** Lists of the console that are sorted by a press on the title of a column. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;

const names = ['Zoë', 'ana', 'Boris', 'boris', ''];

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  shop = await createTaxedShop(app);
  await payAsOther(app, shop);
  await createVoucher(app, shop.merchant);
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id, { amount: '10.00' });
  await live(await startStory(app, { ...shop, item, fee }), [['begin', 0]]);
  await copyRow(app, 'accounts', {
    id: shop.consumer.id,
    count: 40,
    changes: {
      uuid: 'gen_random_uuid()',
      email: `'viewer' || lpad(n::text, 2, '0') || '@sorted.test'`,
      email_normalized: `'viewer' || lpad(n::text, 2, '0') || '@sorted.test'`,
      full_name: `(ARRAY['${names.join("', '")}'])[n % 5 + 1]`,
    },
  });
  walker = await enterConsole(app, shop.merchant.email);
}, 120_000);
afterAll(() => app.stop());

interface Title {
  text: string;
  address: string;
  sort: string | undefined;
}

/** The titles of columns that sort the list. */
const titlesIn = (text: string): Title[] =>
  [...text.matchAll(/<th[^>]*sort-title[^>]*>\s*<a href="([^"]+)">([^<]+)</g)].map(
    ([whole, address = '', title = '']) => ({
      text: title.trim(),
      address: address.replaceAll('&amp;', '&'),
      sort: /aria-sort="(\w+)"/.exec(whole)?.[1],
    }),
  );

const addressesOn = (text: string, pattern: RegExp) =>
  [...text.matchAll(/href="([^"]+)"/g)]
    .map(([, address = '']) => address.replaceAll('&amp;', '&'))
    .filter((address) => pattern.test(address));

const emailsIn = (text: string) =>
  [...text.matchAll(/<a href="\/console\/customers\/\d+">([^]*?)<\/a>/g)].map(([, email = '']) =>
    email.replaceAll(/<[^>]*>|\s/g, ''),
  );

test.each([
  ['customers', ['Email:email:asc', 'Name:name:asc', 'Created:created:asc:descending']],
  ['items', ['Title:title:asc', 'Created:created:asc:descending']],
  ['packages', []],
  ['vouchers', ['Name:name:asc', 'Code:code:asc', 'Until:ends:asc']],
  ['subscriptions', ['Paid until:period_end:asc']],
  ['transactions', ['Time:created:asc:descending']],
  ['invoices', ['Time:issued:asc:descending']],
  ['audit', ['Time:created:asc:descending']],
])('200: the titles that sort the list of %s, and the order without a choice', async (list, titles) => {
  const { text } = await walker.open(`/console/${list}`);
  const found = titlesIn(text).map(({ text: title, address, sort }) => {
    const query = new URL(address, app.address).searchParams;
    return [title, query.get('sort'), query.get('order'), ...(sort === undefined ? [] : [sort])].join(':');
  });
  expect(found).toEqual(titles);
  for (const { address } of titlesIn(text)) expect((await walker.open(address)).status).toBe(200);
});

test('200: a press sorts the list, and a second one turns the order around', async () => {
  const pressed = async (path: string, title: string) => {
    const { text } = await walker.open(path);
    return titlesIn(text).find((known) => known.text === title)?.address ?? '';
  };
  const first = await pressed('/console/customers?page=2&done=created', 'Email');
  expect(first).toBe('/console/customers?sort=email&order=asc');
  const { text } = await walker.open(first);
  const emails = emailsIn(text);
  expect([emails.length, emails]).toEqual([15, [...emails].sort()]);
  expect(titlesIn(text).map(({ sort }) => sort)).toEqual(['ascending', undefined, undefined]);
  const second = await pressed(first, 'Email');
  expect(second).toBe('/console/customers?sort=email&order=desc');
  const around = emailsIn((await walker.open(second)).text);
  expect(around).toEqual([...around].sort().reverse());
  expect(await pressed(second, 'Email')).toBe(first);
});

test('200: pages of equal names show each customer once', async () => {
  const seen: string[] = [];
  for (const page of [1, 2, 3])
    seen.push(...emailsIn((await walker.open(`/console/customers?sort=name&order=asc&page=${page}`)).text));
  expect([seen.length, new Set(seen).size]).toEqual([42, 42]);
});

test('200: page, size, search, file and saved filter keep the order', async () => {
  const path = '/console/customers?search=sorted.test&sort=email&order=asc&size=15';
  const { text } = await walker.open(path);
  const kept = 'search=sorted.test&sort=email&order=asc';
  expect(addressesOn(text, /page=2/)).toEqual([`/console/customers?${kept}&size=15&page=2`]);
  expect(addressesOn(text, /size=50/)).toEqual([`/console/customers?${kept}&size=50`]);
  expect(titlesIn(text)[1]?.address).toBe('/console/customers?search=sorted.test&sort=name&order=asc&size=15');
  const form = /<form method="get" action="\/console\/customers"[^]*?<\/form>/.exec(text)?.[0] ?? '';
  expect(form).toContain('name="sort" value="email"');
  expect(form).toContain('name="order" value="asc"');

  const [file = ''] = addressesOn(text, /^\/console\/csv/);
  const lines = (await walker.open(file)).text.trim().split('\r\n').slice(1);
  const emails = lines.map((line) => line.split(',')[2]);
  expect([emails.length, emails]).toEqual([40, [...emails].sort()]);

  await walker.submit('/console/filters/customers', {
    name: 'By address',
    filter_search: 'sorted.test',
    filter_sort: 'email',
    filter_order: 'asc',
  });
  const again = await walker.open(`/console/customers?${kept}`);
  expect(again.text).toMatch(/href="\/console\/customers\?[^"]*sort=email[^"]*" aria-current="true">By address</);
});

test.each(['subscriptions', 'transactions', 'invoices', 'audit', 'items', 'vouchers'])(
  '200: the form with the filters of %s keeps the order, and so does its file',
  async (list) => {
    const { text } = await walker.open(`/console/${list}?order=asc`);
    const form = new RegExp(`<form method="get" action="/console/${list}"[^]*?</form>`).exec(text)?.[0] ?? '';
    expect(form).toContain('name="order" value="asc"');
    const [file = ''] = addressesOn(text, /^\/console\/csv/);
    expect(file).toContain('order=asc');
    expect((await walker.open(file)).status).toBe(200);
  },
);

test.each(['customers', 'items', 'packages', 'vouchers', 'subscriptions', 'transactions', 'invoices', 'audit'])(
  '422 invalid_input: %s have no such order, and no saved filter has it',
  async (list) => {
    for (const query of ['sort=password_hash', 'order=random'])
      expect((await walker.open(`/console/${list}?${query}`)).status).toBe(422);
    await walker.open(`/console/${list}`);
    const saved = await walker.submit(`/console/filters/${list}`, { name: 'Odd', filter_sort: 'password_hash' });
    expect(saved.status).toBe(422);
  },
);

describeInBrowser('sorting', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  async function openIn(language: string, path: string): Promise<Page> {
    visitor = await chromium.newVisitor({ language });
    await visitor.context.addCookies([{ name: 'console', value: shop.merchant.token, url: app.address }]);
    await visitor.page.goto(`${app.address}${path}`);
    return visitor.page;
  }

  test.each([
    ['en', 'Name', 'Sort by', 'ltr'],
    ['ar', 'الاسم', 'ترتيب حسب', 'rtl'],
  ])('200: by keyboard and on a phone, accessible, in %s', async (language, title, label, direction) => {
    const page = await openIn(language, '/console/customers');
    expect(await page.locator('html').getAttribute('dir')).toBe(direction);
    await page.getByRole('link', { name: title, exact: true }).press('Enter');
    await page.waitForURL('**/console/customers?sort=name&order=asc');
    expect(await page.locator('[aria-sort]').allInnerTexts()).toEqual([expect.stringContaining(title)]);
    expect(await faultsOf(visitor, `sorted-customers-${language}`)).toEqual([]);

    await page.setViewportSize({ width: 375, height: 740 });
    const before = `getComputedStyle(document.querySelector('thead.sortable'), '::before').content`;
    expect(await page.evaluate<string>(before)).toBe(`"${label}"`);
    const link = page.getByRole('link', { name: title, exact: true });
    expect((await link.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(24);
    await link.press('Enter');
    await page.waitForURL('**/console/customers?sort=name&order=desc');
    expect(await page.locator('[aria-sort="descending"]').count()).toBe(1);
    expect(await faultsOf(visitor, `sorted-customers-phone-${language}`)).toEqual([]);
  });

  test.each(['subscriptions?sort=period_end', 'vouchers?sort=ends', 'invoices', 'transactions', 'items?sort=title'])(
    '200: %s is accessible and fits a phone',
    async (path) => {
      await openIn('en', `/console/${path}`);
      expect(await faultsOf(visitor, `sorted-${path.replaceAll(/\W/g, '-')}`)).toEqual([]);
    },
  );
});
