import { startApp, type TestApp } from '../support/startApp';
import { createSeller, documentsOf, sellTo, type Seller } from '../support/taxedSales';

/**
 * Sales as the guidance of tax authorities explains them, from the settings of the seller to the invoice. Each title names the
 * publication from which its rate or its rule is taken. The amounts are chosen so that the net amount is round.
 */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const german = { country: 'DE', scheme: 'domestic', number: 'DE136695976' };
const oneStopShop = { country: 'DE', scheme: 'oss', number: 'EU276000001' };
const germanSeller = { country: 'DE', registrations: [german, oneStopShop] };

test.each<[string, Seller, Record<string, unknown>, Record<string, unknown>, [net: number, tax: number]]>([
  [
    'Germany, Value Added Tax Act (UStG), section 12, paragraph 1: a consumer at home pays the standard rate of 19 %',
    germanSeller,
    { amount: '11.90' },
    { country: 'DE' },
    [1000, 190],
  ],
  [
    'France, General Tax Code, article 298 septies, and Directive 2006/112/EC, articles 58 and 369b: a consumer of a newspaper from Germany pays the French rate of 2.1 %, through the one stop shop',
    { ...germanSeller, itemKind: 'press' },
    { amount: '10.21' },
    { country: 'FR' },
    [1000, 21],
  ],
  [
    'Austria, Directive 2006/112/EC, articles 44 and 196: a business with a tax number accounts for the tax of a German seller itself',
    germanSeller,
    { amount: '10.00' },
    { country: 'AT', tax_number: 'ATU12345675' },
    [1000, 0],
  ],
  [
    'United Kingdom, HMRC VAT guide (notice 700), VAT fraction: the tax is one sixth of a price that includes 20 %',
    { country: 'GB', registrations: [{ country: 'GB', scheme: 'domestic', number: 'GB123456789' }] },
    { amount: '12.00', currency: 'GBP' },
    { country: 'GB' },
    [1000, 200],
  ],
  [
    'Norway, Tax Administration, rates of value added tax: the tax is one fifth of a price that includes 25 %',
    { country: 'NO', registrations: [{ country: 'NO', scheme: 'domestic', number: '' }] },
    { amount: '125.00', currency: 'NOK' },
    { country: 'NO' },
    [10000, 2500],
  ],
  [
    'Canada, Revenue Agency, GST/HST rates by province: the harmonized rate of Ontario is 13 %',
    {
      country: 'CA',
      registrations: [{ country: 'CA', region: 'CA-ON', scheme: 'domestic', number: '' }],
    },
    { amount: '113.00', currency: 'CAD' },
    { country: 'CA', region: 'CA-ON' },
    [10000, 1300],
  ],
  [
    'Japan, National Tax Agency, consumption tax on electronic services: a seller without a registration there charges no tax',
    germanSeller,
    { amount: '1000', currency: 'JPY' },
    { country: 'JP' },
    [1000, 0],
  ],
])('%s', async (_rule, seller, fee, buyer, [net, tax]) => {
  const shop = await createSeller(app, seller, fee);
  await sellTo(app, shop, buyer);
  expect(await documentsOf(app, shop)).toEqual([{ kind: 'invoice', net, tax, gross: net + tax }]);
});
