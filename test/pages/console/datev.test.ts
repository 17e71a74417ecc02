import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { getDatev, setDatev } from '../../support/datev';
import { type Shop } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { sellInGermany } from '../../support/taxedSales';

/** The console's page of the file for DATEV. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  ({ shop } = await sellInGermany(app));
});
afterAll(() => app.stop());

const address = '/console/reports/books/datev';
const entered = {
  consultant_number: '29098',
  client_number: '55003',
  chart: 'skr04',
  account_length: '4',
  fiscal_year_month: '1',
};

test('the numbers are entered first, then the file of some days is downloaded', async () => {
  const walker = await enterConsole(app, shop.merchant.email);
  expect((await walker.open('/console/reports/books')).text).toContain(`href="${address}?from=`);
  expect((await walker.open(address)).text).not.toContain('Download the file');
  const own = { 'account_numbers.bank': '1810', 'account_numbers.revenue': '' };
  expect((await walker.submit(address, { ...entered, ...own })).headers.get('location')).toBe(`${address}?done=saved`);
  expect((await walker.open(address)).text).toContain('Download the file');
  const { body } = await getDatev(app, shop.merchant);
  expect([body.chart, body.accounts.filter(({ own_number }) => own_number !== '')]).toEqual([
    'skr04',
    [expect.objectContaining({ account: 'bank', own_number: '1810' })],
  ]);
  const year = new Date().getUTCFullYear();
  const file = await walker.open(`${address}?from=${year}-01-01&to=${year}-12-31&currency=EUR&file=1`);
  expect([file.status, file.text.includes('"EXTF";700;21;')]).toEqual([200, true]);
  const refused = await walker.open(`${address}?from=2025-12-01&to=2026-01-31&currency=EUR&file=1`);
  expect([refused.status, refused.text.includes('href="#field-to"')]).toEqual([422, true]);
  expect(refused.text).toContain('This must be in the fiscal year of the from');
});

test('a wrong number is refused beside its field, with what was entered', async () => {
  const walker = await enterConsole(app, (await createPayShop(app)).merchant.email);
  const wrong = { ...entered, consultant_number: '12', 'account_numbers.bank': '18' };
  await walker.open(address);
  const first = await walker.submit(address, wrong);
  expect([first.status, first.text.includes('href="#field-consultant_number"')]).toEqual([422, true]);
  expect(first.text).toContain('value="12"');
  const second = await walker.submit(address, { ...wrong, consultant_number: '29098' });
  expect([second.status, second.text.includes('href="#field-account_numbers-bank"')]).toEqual([422, true]);
  expect(second.text).toContain('This must have 4 digits, or 5');
  expect(second.text).toContain('<details class="more" open');
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;

  beforeAll(async () => (chromium = await startChromium()));
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  test.each(['en', 'ar'])('%s: nothing that axe finds, and no wider than the screen', async (language) => {
    await setDatev(app, shop.merchant, { account_numbers: { bank: '1210' } });
    visitor = await chromium.newVisitor({ language });
    await visitor.context.addCookies([{ name: 'console', value: shop.merchant.token, url: app.address }]);
    await visitor.page.goto(`${app.address}${address}?from=2026-01-01&to=2026-01-31`);
    expect(await faultsOf(visitor, `datev-${language}`)).toEqual([]);
    await visitor.page.goto(`${app.address}/console/reports/books`);
    expect(await faultsOf(visitor, `books-datev-${language}`)).toEqual([]);
  });
});
