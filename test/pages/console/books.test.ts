import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { enterConsole } from '../../support/pageWalker';
import { type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { sellInGermany } from '../../support/taxedSales';
import { passDays } from '../../support/testClock';

/** The books in the console. */

let app: TestApp;
let shop: Shop;
let token: string;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  ({ shop, token } = await sellInGermany(app));
  await passDays(app, shop.merchant, 1);
});
afterAll(() => app.stop());

test('the accounts with their balances lead to their entries, and these to the transaction', async () => {
  const walker = await enterConsole(app, shop.merchant.email);
  const { text } = await walker.open('/console/reports/books');
  for (const part of ['Payment provider', 'Tax payable', '-€0.72', 'Deferred revenue', 'Opening balance', '€4.50'])
    expect(text).toContain(part);
  const [address = ''] = /\/console\/reports\/books\/journal\?[^"]*tax_payable[^"]*/.exec(text) ?? [];
  const journal = (await walker.open(address.replaceAll('&amp;', '&'))).text;
  expect(journal).toContain('€0.72');
  expect(journal).not.toContain('€3.78');
  expect(journal).toContain(`/console/transactions/${token}/refund`);
  expect((await walker.open(`/console/transactions/${token}/refund`)).status).toBe(200);
});

test('a range without entries says so, and a wrong one is refused beside its field', async () => {
  const walker = await enterConsole(app, shop.merchant.email);
  expect((await walker.open('/console/reports/books?from=2020-01-01&to=2020-01-02')).text).toContain(
    'Nothing was booked on these days.',
  );
  const { status, text } = await walker.open('/console/reports/books?from=2020-01-03&to=2020-01-02');
  expect([status, text.includes('must not be before')]).toEqual([422, true]);
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;

  beforeAll(async () => (chromium = await startChromium()));
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  test.each(['en', 'ar'])('%s: nothing that axe finds, and no wider than the screen', async (language) => {
    visitor = await chromium.newVisitor({ language });
    await visitor.context.addCookies([{ name: 'console', value: shop.merchant.token, url: app.address }]);
    await visitor.page.goto(`${app.address}/console/reports/books`);
    expect(await faultsOf(visitor, `books-${language}`)).toEqual([]);
    await visitor.page.goto(`${app.address}/console/reports/books/journal?account=deferred_revenue`);
    expect(await faultsOf(visitor, `journal-${language}`)).toEqual([]);
  });
});
