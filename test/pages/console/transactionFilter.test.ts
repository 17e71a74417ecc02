import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createConsumer, createFee, createItem, type Shop } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { createPayShop, paid } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

/** The list of transactions of a merchant by item, customer and amount. */

let app: TestApp;
let shop: Shop;
let other: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  shop = await createPayShop(app);
  await paid(app, shop);
  const item = await createItem(app, shop.merchant, { title: 'Audio edition' });
  const consumer = await createConsumer(app, shop.merchant);
  const terms = { access_type: 'ppv', quantity: 2, period: 'day', amount: '7.25' };
  other = { ...shop, item, consumer, fee: await createFee(app, shop.merchant, item.id, terms) };
  await paid(app, other);
  walker = await enterConsole(app, shop.merchant.email);
});
afterAll(() => app.stop());

const path = '/console/transactions';
const shown = async (query: Record<string, string>) => {
  const { status, text } = await walker.open(`${path}?${new URLSearchParams(query).toString()}`);
  const rows = [shop, other].filter(({ consumer }) => text.includes(`<a href="/console/customers/${consumer.id}"`));
  return { status, text, items: rows.map(({ item }) => item.id) };
};

test('200: all, those of an item, of a customer, and of an amount', async () => {
  expect((await shown({})).items).toEqual([shop.item.id, other.item.id]);
  expect((await shown({ item_id: String(other.item.id) })).items).toEqual([other.item.id]);
  expect((await shown({ customer: ` ${shop.consumer.email.toUpperCase()}` })).items).toEqual([shop.item.id]);
  expect((await shown({ customer: shop.consumer.email, item_id: String(other.item.id) })).items).toEqual([]);
  expect((await shown({ amount_from: '4.51' })).items).toEqual([other.item.id]);
  expect((await shown({ amount_from: '4.5', amount_to: '4.50' })).items).toEqual([shop.item.id]);
});

test('200: the form, the file and the saved filter keep the values', async () => {
  const query = { item_id: String(other.item.id), amount_from: '5', customer: other.consumer.email };
  const { text } = await shown(query);
  expect(text).toMatch(new RegExp(`<option value="${other.item.id}" selected\\s*>Audio edition`));
  expect(text).toMatch(/name="amount_from"[^>]*value="5"/);
  expect(text).toContain(`value="${other.consumer.email}"`);
  const file = /\/console\/csv\/payment-history\?[^"]+/.exec(text)?.[0].replaceAll('&amp;', '&') ?? '';
  const csv = await walker.open(file);
  expect(csv.text.trim().split('\r\n')).toHaveLength(2);
  expect(csv.text).toContain(other.consumer.email);
  const fields = {
    filter_item_id: query.item_id,
    filter_amount_from: '5',
    filter_account_id: String(other.consumer.id),
    filter_customer: 'x',
  };
  await walker.submit('/console/filters/transactions', { name: 'Dear', ...fields });
  const saved = new URLSearchParams({ item_id: query.item_id, amount_from: '5', customer: String(other.consumer.id) });
  const [, address = ''] = /<li class="chip">\s*<a href="[^"?]+\?([^"]+)"/.exec((await walker.open(path)).text) ?? [];
  expect([...new URLSearchParams(address.replaceAll('&amp;', '&'))].sort()).toEqual([...saved].sort());
});

test.each([
  ['customer', 'nobody@example.org'],
  ['customer', 'x'.repeat(201)],
  ['item_id', 'x'],
  ['amount_from', 'ten'],
  ['amount_to', '-1'],
  ['type', 'odd'],
  ['startDate', 'soon'],
])('422: the form shows the error of the field %s', async (name, value) => {
  const { status, text, items } = await shown({ [name]: value });
  expect([status, items]).toEqual([422, []]);
  expect(text).toMatch(new RegExp(`<(input|select)[^>]*name="${name}"[^>]*aria-invalid="true"`));
});

test('422: the largest amount is below the smallest', async () => {
  const { status, text } = await shown({ amount_from: '5', amount_to: '4.99' });
  expect(status).toBe(422);
  expect(text).toMatch(/<input[^>]*name="amount_to"[^>]*aria-invalid="true"/);
  expect(text).toContain('Enter 5 or more.');
});

test('200: a follower without the rights has neither the items nor the customers, and reads that the list is not filtered', async () => {
  const follower = await createFollower(app, shop.merchant, ['payments:read']);
  const followers = await enterConsole(app, follower.email);
  const { status, text } = await followers.open(`${path}?customer=x`);
  expect(status).toBe(200);
  expect(text).not.toContain('name="item_id"');
  expect(text).not.toContain('name="customer"');
  expect(text).toContain('The filter by customer is not applied, because you do not have the right “View customers”.');
  expect((await followers.open(path)).text).not.toContain('filter by customer is not applied');
});

describeInBrowser('filters', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('200: a form is sent with empty fields', async () => {
    const visitor = await chromium.newVisitor();
    const { page } = visitor;
    const { open, enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    await enter(shop.merchant.email);
    await open(`${path}?type=refund`);
    await page.getByLabel('Event').selectOption('All');
    await page.getByLabel('Amount from').fill('5');
    await page.getByLabel('Amount from').press('Enter');
    await page.waitForURL('**amount_from=5**');
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await faultsOf(visitor, 'transaction-filter')).toEqual([]);
    for (const list of ['subscriptions', 'invoices', 'customers', 'audit']) {
      await open(`/console/${list}`);
      await page.locator('form.filters').getByRole('button', { name: 'Search' }).click();
      await page.waitForURL(`**/console/${list}?**`);
    }
    await visitor.context.close();
  });

  test('fields stand in rows: beside an error, and two short ones on a phone', async () => {
    const visitor = await chromium.newVisitor();
    const { page } = visitor;
    const { open, enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    await enter(shop.merchant.email);
    await open(`${path}?customer=nobody@example.org`);
    await page.locator('.filters .complaint').waitFor();
    const tops = async (...names: string[]) => {
      const boxes = await Promise.all(names.map((name) => page.locator(`#field-${name}`).boundingBox()));
      return new Set(boxes.map((box) => Math.round(box?.y ?? -1)));
    };
    expect((await tops('type', 'item_id', 'customer')).size).toBe(1);
    await page.setViewportSize({ width: 375, height: 740 });
    expect((await tops('startDate', 'endDate')).size).toBe(1);
    expect((await tops('amount_from', 'amount_to')).size).toBe(1);
    await visitor.context.close();
  });
});
