import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { createSeller, documentsOf, sellTo } from '../support/taxedSales';
import { passDays } from '../support/testClock';

/**
 * A rate that changes while customers buy, with the rates of Switzerland before and after the first of January 2024. The title
 * names the publication of the rule.
 */

let app: TestApp;

beforeAll(async () => {
  const change = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  const file = path.join(tmpdir(), `rates-${process.pid}.txt`);
  writeFileSync(file, `CH standard 2018-01-01 7.7\nCH standard ${change} 8.1\n`);
  app = await startApp({ TAX_RATES_FILE: file });
  await app.startWorker();
});
afterAll(() => app.stop());

test('Switzerland, Federal Tax Administration, VAT Info 19 on the change of rates: a refund returns the tax of its sale, and later sales have the new rate', async () => {
  const seller = { country: 'CH', registrations: [{ country: 'CH', scheme: 'domestic', number: '' }] };
  const shop = await createSeller(app, seller, { amount: '107.70', currency: 'CHF' });
  const token = await sellTo(app, shop, { country: 'CH' });
  await passDays(app, shop.merchant, 21);
  await refund(app, shop.merchant, token, { amount: '53.85' });
  await refunded(app, token);
  await sellTo(app, shop, { country: 'CH' });
  expect(await documentsOf(app, shop)).toEqual([
    { kind: 'invoice', net: 10000, tax: 770, gross: 10770 },
    { kind: 'credit_note', net: -5000, tax: -385, gross: -5385 },
    { kind: 'invoice', net: 9963, tax: 807, gross: 10770 },
  ]);
});
