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
  ['the United Kingdom', { country: 'GB' }, 'GB 980 7806 84'],
  ['Switzerland, for a business', { country: 'CH', tax_number: 'CHE107787577' }, 'CHE-109.322.551 MWST'],
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
