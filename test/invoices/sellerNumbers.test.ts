import { documentsOf, createSeller, sellTo } from '../support/taxedSales';
import { issued } from '../support/invoices';
import { refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

/** A document names the number under which its tax is charged. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const registrations = [
  { country: 'DE', scheme: 'domestic', number: 'DE136695976' },
  { country: 'DE', scheme: 'oss', number: 'EU276000001' },
  { country: 'GB', scheme: 'domestic', number: 'GB 980 7806 84' },
  { country: 'CH', scheme: 'domestic', number: 'CHE-109.322.551 MWST' },
  { country: 'CA', scheme: 'domestic', number: '123026635RT0001' },
  { country: 'CA', region: 'CA-QC', scheme: 'domestic', number: 'NR00001234' },
  { country: 'NO', scheme: 'domestic', number: '' },
  { country: 'FR', scheme: 'exempt', number: 'DE136695976-EX' },
];

test.each([
  ['the seller’s country', { country: 'DE' }, 'DE136695976'],
  ['the United Kingdom', { country: 'GB' }, 'GB980780684'],
  ['Switzerland, for a business', { country: 'CH', tax_number: 'CHE107787577' }, 'CHE109322551MWST'],
  ['the one stop shop', { country: 'IT' }, 'EU276000001'],
  ['Canada', { country: 'CA', region: 'CA-ON' }, '123026635RT0001'],
  ['Quebec, which has a registration of its own', { country: 'CA', region: 'CA-QC' }, 'NR00001234'],
  ['France, where the seller is exempt', { country: 'FR' }, 'DE136695976-EX'],
  ['Norway, whose registration has no number', { country: 'NO' }, 'DE136695976'],
  ['no country: a business accounts for the tax itself', { country: 'GB', tax_number: 'GB980780684' }, 'DE136695976'],
])('the tax of %s', async (_, buyer, tax_number) => {
  const shop = await createSeller(app, { country: 'DE', registrations }, { amount: '12.00' });
  const token = await sellTo(app, shop, buyer);
  await refund(app, shop.merchant, token, {});
  await refunded(app, token);
  expect(await documentsOf(app, shop)).toHaveLength(2);
  for (const { seller } of await issued(app, shop.merchant)) expect(seller).toMatchObject({ tax_number });
});

test.each([
  ['the Isle of Man', 'US', { country: 'IM', number: 'GB980780684' }, { country: 'GB' }, 'GB980780684'],
  ['the United Kingdom', 'US', { country: 'GB', number: 'GB980780684' }, { country: 'IM' }, 'GB980780684'],
  ['Monaco', 'US', { country: 'MC', number: 'FR40303265045' }, { country: 'FR' }, 'FR40303265045'],
  [
    'Monaco, for a seller in France',
    'FR',
    { country: 'MC', number: 'FR40303265045' },
    { country: 'MC' },
    'FR40303265045',
  ],
  [
    'France, for a seller in Monaco',
    'MC',
    { country: 'FR', number: 'FR40303265045' },
    { country: 'FR' },
    'FR40303265045',
  ],
])('a registration in %s covers the tax territory', async (_, country, registration, buyer, tax_number) => {
  const shop = await createSeller(
    app,
    { country, registrations: [{ ...registration, scheme: 'domestic' }] },
    { amount: '12.00' },
  );
  await sellTo(app, shop, buyer);
  const [invoice] = await issued(app, shop.merchant);
  expect(invoice).toMatchObject({ seller: { tax_number }, tax: 200 });
});

test('the tax territories of the database are those of the rules', async () => {
  const { taxCountryOf, unionCountries } = await import('../../src/billing/tax/places.js');
  const countries = [...unionCountries, 'MC', 'IM', 'GB', 'US', 'JE', 'SM'];
  const { rows } = await app.pool.query<{ country: string; of: string }>(
    'SELECT country, tax_country_of(country) AS "of" FROM unnest($1::text[]) country',
    [countries],
  );
  expect(rows).toEqual(countries.map((country) => ({ country, of: taxCountryOf(country) })));
});
