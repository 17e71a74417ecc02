import { bookedDay, entriesOf } from '../../support/journal';
import { startApp, type TestApp } from '../../support/startApp';
import { sellInGermany } from '../../support/taxedSales';
import { passDays } from '../../support/testClock';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const recogniseAll = async () => (await import('../../../src/reports/books/books.js')).recogniseAll();

test('the days that have passed are booked for each merchant, once, and not the present day', async () => {
  const { shop } = await sellInGermany(app);
  const booked = () => entriesOf(app.pool, shop.merchant.id, 'recognition');
  await recogniseAll();
  expect(await booked()).toEqual([]);
  await passDays(app, shop.merchant, 1);
  for (let time = 0; time < 2; time += 1) await recogniseAll();
  expect(await booked()).toEqual(['deferred_revenue > revenue 189']);
});

test('a merchant whose revenue cannot be booked does not stop the others', async () => {
  const broken = (await sellInGermany(app)).shop;
  const { shop } = await sellInGermany(app);
  for (const { merchant } of [broken, shop]) await passDays(app, merchant, 1);
  await app.pool.query(
    `INSERT INTO revenue_schedules (merchant_id, currency, amount_minor, first_day, days, booked_on)
     VALUES ($1, 'EUR', 9223372036854775807, $2, 36500, $2)`,
    [broken.merchant.id, await bookedDay(app.pool, broken.merchant.id, -1)],
  );
  await recogniseAll();
  expect(await entriesOf(app.pool, broken.merchant.id, 'recognition')).toEqual([]);
  expect(await entriesOf(app.pool, shop.merchant.id, 'recognition')).toEqual(['deferred_revenue > revenue 189']);
});

test('two bookings of the same days at the same time book them once', async () => {
  const { shop } = await sellInGermany(app);
  await passDays(app, shop.merchant, 2);
  await Promise.all(Array.from({ length: 8 }, recogniseAll));
  const revenue = 'deferred_revenue > revenue 189';
  expect(await entriesOf(app.pool, shop.merchant.id, 'recognition')).toEqual([revenue, revenue]);
});
