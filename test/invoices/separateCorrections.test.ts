import { call } from '../support/client';
import { issued, type IssuedRow } from '../support/invoices';
import { refund, refunded } from '../support/payments';
import { type Shop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';
import { createSeller, sellTo } from '../support/taxedSales';

/** Spain, Royal Decree 1619/2012, article 6: corrections have a series of their own. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const sellerIn = (country: string) => {
  const registrations = [{ country, scheme: 'domestic', number: '' }];
  return createSeller(app, { country, registrations }, { amount: '12.10' });
};

/** Two sales, of which the first is refunded in two parts. */
async function sellAndRefund(country: string) {
  const shop = await sellerIn(country);
  const token = await sellTo(app, shop, { country });
  for (const count of [1, 2]) {
    await refund(app, shop.merchant, token, { amount: '2.42' });
    await refunded(app, token, count);
  }
  await sellTo(app, shop, { country });
  return shop;
}

const numbersOf = (rows: readonly IssuedRow[]) =>
  rows.map(({ kind, number }) => [kind, number.replace(/^(TEST-)?\d{4}-/, '')]);

test('a seller in Spain: invoices and corrections are numbered apart, each without gaps', async () => {
  const { merchant } = await sellAndRefund('ES');
  const rows = await issued(app, merchant);
  expect(numbersOf(rows)).toEqual([
    ['invoice', '000001'],
    ['invoice', '000002'],
    ['credit_note', 'C-000001'],
    ['credit_note', 'C-000002'],
  ]);
  const { number } = rows[2] ?? { number: '' };
  expect(await call(app, 'GET', `/invoices/${number}`, undefined, merchant)).toMatchObject({
    status: 200,
    body: { number, corrects: rows[0]?.number, net_amount: -2, tax_amount: -0.42 },
  });
});

test('a seller elsewhere has one sequence', async () => {
  const { merchant } = await sellAndRefund('DE');
  expect(numbersOf(await issued(app, merchant)).map(([, number]) => number)).toEqual([
    '000001',
    '000002',
    '000003',
    '000004',
  ]);
});

/** The seller moves its establishment. */
async function moveTo(shop: Shop, country: string): Promise<void> {
  await nameSeller(app, shop, [{ country, scheme: 'domestic' }], { country });
}

test('a seller who has left Spain: corrections of Spanish invoices continue their series, and no series has gaps', async () => {
  const shop = await sellerIn('ES');
  const before = [await sellTo(app, shop, { country: 'ES' }), await sellTo(app, shop, { country: 'ES' })];
  await refund(app, shop.merchant, before[0] ?? '', {});
  await refunded(app, before[0] ?? '');
  await moveTo(shop, 'DE');
  const after = await sellTo(app, shop, { country: 'DE' });
  for (const token of [before[1] ?? '', after]) {
    await refund(app, shop.merchant, token, {});
    await refunded(app, token);
  }
  await moveTo(shop, 'ES');
  await sellTo(app, shop, { country: 'ES' });
  expect(numbersOf(await issued(app, shop.merchant))).toEqual([
    ['invoice', '000001'],
    ['invoice', '000002'],
    ['invoice', '000003'],
    ['credit_note', '000004'],
    ['invoice', '000005'],
    ['credit_note', 'C-000001'],
    ['credit_note', 'C-000002'],
  ]);
});

test.each([
  ['with corrections', sellAndRefund, ['000003', 'C-000003']],
  ['without a correction yet', sellerIn, ['000001', 'C-000001']],
])('a restore may have lost numbers of both series of a seller who has left Spain %s', async (_, sell, numbers) => {
  const shop = await sell('ES');
  await moveTo(shop, 'DE');
  expect(await lostNumbersOf(shop)).toEqual(numbers);
});

test('a restore may have lost numbers of both series', async () => {
  expect(await lostNumbersOf(await sellAndRefund('ES'))).toEqual(['000003', 'C-000003']);
});

test('a seller who was never in Spain has one series to lose', async () => {
  expect(await lostNumbersOf(await sellerIn('DE'))).toEqual(['000001']);
});

/** The first numbers that a restore may have lost. */
async function lostNumbersOf({ merchant }: Shop): Promise<string[]> {
  const { beginSeries } = await import('../../src/invoices/series.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  await transaction((inTransaction) => beginSeries(inTransaction, new Date()));
  const { body } = await call<{ lost_numbers: { last_number: string; first_lost_number: string }[] }>(
    app,
    'GET',
    '/reporting/tax',
    undefined,
    merchant,
  );
  const lost = body.lost_numbers.map(({ first_lost_number: number }) => number.replace(/^(TEST-)?\d{4}-/, ''));
  return lost.toSorted();
}
