import { createMerchant } from '../../support/factories';
import { enterConsole, PageWalker } from '../../support/pageWalker';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** What a list without rows says: that there is nothing yet, or that nothing matches. */

let app: TestApp;
let walker: PageWalker;
let reader: PageWalker;

beforeAll(async () => {
  app = await startApp();
  const merchant = await createMerchant(app);
  walker = await enterConsole(app, merchant.email);
  reader = new PageWalker(app);
  reader.keep('console', (await createStaff(app, merchant, { role: 'read_only' })).token);
});
afterAll(() => app.stop());

const lists = [
  ['items', 'search=nothing', 'No items yet.'],
  ['packages', 'search=nothing', 'No packages yet.'],
  ['vouchers', 'search=NOTHING', 'No vouchers yet.'],
  ['customers', 'search=nobody', 'No customers yet.'],
  ['subscriptions', 'status=active', 'No subscriptions yet.'],
  ['transactions', 'type=refund', 'No transactions yet.'],
  ['transactions', 'amount_from=5', 'No transactions yet.'],
  ['invoices', 'kind=invoice', 'No invoices yet.'],
] as const;

test.each(lists)(
  '%s?%s: nothing matches, and a link leads to all; without a filter: %s',
  async (list, filter, none) => {
    const address = `/console/${list}`;
    const all = await walker.open(address);
    expect(all.text).toContain(none);
    const found = await walker.open(`${address}?${filter}`);
    expect(found.status).toBe(200);
    expect(found.text).toContain(`Nothing matches your search. <a href="${address}">See all</a>`);
    expect(found.text).not.toContain(none);
    expect(all.text).not.toContain('Nothing matches');
  },
);

const items = '<a class="button slim" href="/console/items">Catalog</a>';

test.each([
  ['items', '<a class="button slim" href="/console/items/new">Add item</a>'],
  ['packages', '<a class="button slim" href="/console/packages/new">Add package</a>'],
  ['vouchers', '<a class="button slim" href="/console/vouchers/new">Add voucher</a>'],
  ['voucher-batches', '<a class="button slim" href="/console/voucher-batches/new">Create batch</a>'],
  ['gifts', items],
  ['customers', '<a class="button slim" href="/console/customers/new">Add customer</a>'],
  ['addresses', items],
  ['subscriptions', items],
  ['invoices', '<a class="button slim" href="/console/settings/tax">Tax</a>'],
])('%s: a link leads to what fills the list, for those who may use it', async (list, link) => {
  expect((await walker.open(`/console/${list}`)).text).toContain(link);
  const { text } = await reader.open(`/console/${list}`);
  expect(text).toContain('class="card empty"');
  expect(text.includes(link)).toBe(link === items);
});

test('audit: an action that nobody did', async () => {
  const { text } = await walker.open('/console/audit?action=voucher.create');
  expect(text).toContain('Nothing matches your search. <a href="/console/audit">See all</a>');
});

test('an order and a page size are no filter', async () => {
  const { text } = await walker.open('/console/customers?sort=email&order=asc&size=50');
  expect(text).toContain('No customers yet.');
});
