import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { bookedDay } from '../../support/journal';
import { createPayShop, paid } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

interface Deferred {
  currency: string;
  deferred: number;
  months: { month: string; amount: number }[];
}
const read = (merchant: Person, query = '') =>
  call<{ to: string; collection: Deferred[] }>(
    app,
    'GET',
    `/reporting/books/deferred-revenue${query}`,
    undefined,
    merchant,
  );

const dayMs = 86_400_000;
const firstDay = async ({ id }: Person) => Date.parse(await bookedDay(app.pool, id));
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

test('200: what is left after a day, by the months in which it is earned', async () => {
  const shop = await createPayShop(app, { amount: '400', quantity: 400, period: 'day' });
  await paid(app, shop);
  const start = await firstDay(shop.merchant);
  const { status, body } = await read(shop.merchant, `?to=${dayOf(start)}`);
  expect([status, body.to, body.collection[0]?.deferred]).toEqual([200, dayOf(start), 399]);
  const months = new Map<string, number>();
  for (let day = 1; day < 400; day += 1) {
    const month = dayOf(start + day * dayMs).slice(0, 7);
    months.set(month, (months.get(month) ?? 0) + 1);
  }
  const expected = [...months].map(([month, amount]) => ({ month, amount }));
  expect(body.collection).toEqual([{ currency: 'EUR', deferred: 399, months: expected }]);
});

test('200: nothing before the sale, after its last day, in another currency, or of another merchant', async () => {
  const shop = await createPayShop(app);
  await paid(app, shop);
  const start = await firstDay(shop.merchant);
  const left = async (days: number) =>
    (await read(shop.merchant, `?to=${dayOf(start + days * dayMs)}`)).body.collection.map(({ deferred }) => deferred);
  expect([await left(-1), await left(0), await left(1)]).toEqual([[], [2.25], []]);
  expect((await read(shop.merchant, `?to=${dayOf(start)}&currency=JPY`)).body.collection).toEqual([]);
  expect((await read(await createMerchant(app), `?to=${dayOf(start)}`)).body.collection).toEqual([]);
  expect((await read(shop.merchant)).body.to).toBe(dayOf(start - dayMs));
});
