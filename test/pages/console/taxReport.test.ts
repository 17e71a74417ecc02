import { call } from '../../support/client';
import { enterConsole } from '../../support/pageWalker';
import { createPayShop, paid } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { atHome, nameSeller } from '../../support/tax';
import { passDays } from '../../support/testClock';

/** The console's page of the tax of a quarter, and its file. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

async function createSales(country: string, currency = 'EUR', daysAhead = 0) {
  const shop = await createPayShop(app, { currency });
  if (daysAhead > 0) await passDays(app, shop.merchant, daysAhead);
  await nameSeller(app, shop, [atHome, { country: 'DE', scheme: 'oss', number: 'EU276000001' }]);
  const details = { name: 'Ana', address_line: 'Street 1', postal_code: '1000', city: 'City', country };
  await call(app, 'PUT', '/v2/accounts/billing-details', details, shop.consumer);
  await paid(app, shop);
  return enterConsole(app, shop.merchant.email);
}

test('200: the present quarter, with the file of the one stop shop', async () => {
  const walker = await createSales('FR');
  const { text } = await walker.open('/console/reports/tax');
  for (const expected of ['One stop shop', 'France', '20%', '€3.75', '€0.75', '€4.50'])
    expect(text).toContain(expected);
  const file = /href="(\/console\/reports\/tax\/oss[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect((await walker.open(file)).text).toContain('FR,STANDARD,20,EUR,3.75,0.75,');
});

test('200: sales in another currency have a warning until there is an exchange rate, and then the rate', async () => {
  // On its last day, the present quarter may have a rate. The quarter of tomorrow has not ended today.
  const walker = await createSales('FR', 'SEK', 1);
  const { text } = await walker.open('/console/reports/tax');
  expect(text).toContain('sales in SEK are not in euro');
  expect(text).toContain('The quarter has not ended');
  const day = new Date(Date.now() + 86_400_000);
  const end = new Date(Date.UTC(day.getUTCFullYear(), 3 * Math.floor(day.getUTCMonth() / 3) + 3, 0));
  await app.pool.query(`INSERT INTO euro_rates (currency, day, published_on, rate) VALUES ('SEK', $1, $1, 11.3595)`, [
    end.toISOString().slice(0, 10),
  ]);
  const later = (await walker.open('/console/reports/tax')).text;
  expect(later).toContain('1 EUR = 11.3595 SEK');
  expect(later).not.toContain('are not in euro');
  const year = await walker.open(`/console/reports/tax?year=${end.getUTCFullYear()}&quarter=`);
  expect(year.text).not.toContain('11.3595');
});

test('200: without sales to other member states there is no such file, nor for a whole year', async () => {
  const walker = await createSales('DE');
  const { text } = await walker.open('/console/reports/tax');
  expect(text).toContain('Domestic');
  expect(text).not.toContain('/tax/oss');
  const year = await (
    await createSales('FR')
  ).open(`/console/reports/tax?year=${new Date().getUTCFullYear()}&quarter=`);
  expect(year.text).toContain('One stop shop');
  expect(year.text).not.toContain('/tax/oss');
});

test.each([
  ['year=20&quarter=1', 'year'],
  ['year=2026&quarter=7', 'quarter'],
])('422: the wrong field is named: %s', async (query, field) => {
  const walker = await createSales('DE');
  const { status, text } = await walker.open(`/console/reports/tax?${query}`);
  expect(status).toBe(422);
  expect(text).toContain(`href="#field-${field}"`);
});
