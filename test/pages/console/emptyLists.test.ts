import { createMerchant } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** What a list without rows says: that there is nothing yet, or that nothing matches. */

let app: TestApp;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  walker = await enterConsole(app, (await createMerchant(app)).email);
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

test('audit: an action that nobody did', async () => {
  const { text } = await walker.open('/console/audit?action=voucher.create');
  expect(text).toContain('Nothing matches your search. <a href="/console/audit">See all</a>');
});

test('an order and a page size are no filter', async () => {
  const { text } = await walker.open('/console/customers?sort=email&order=asc&size=50');
  expect(text).toContain('No customers yet.');
});
