import { giveCredit } from '../support/balances';
import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { enterConsole } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => {
  merchant = await createMerchant(app);
  await giveCredit(app, (await createConsumer(app, await createMerchant(app))).id, 77_700);
});
afterAll(() => app.stop());

const read = (query = '') =>
  call<{ collection: object[] }>(app, 'GET', `/reporting/liabilities${query}`, undefined, merchant);

async function move(amounts: readonly [amountMinor: number, currency: string][]): Promise<Person> {
  const consumer = await createConsumer(app, merchant);
  for (const [amountMinor, currency] of amounts) await giveCredit(app, consumer.id, amountMinor, currency);
  return consumer;
}

test('200: credit and debt separately, by currency, without customers who have neither', async () => {
  const today = new Date().toISOString().slice(0, 10);
  expect((await read()).body).toEqual({ to: today, collection: [] });
  await move([[1_234, 'EUR']]);
  await move([
    [500, 'EUR'],
    [-1_500, 'EUR'],
    [100, 'JPY'],
  ]);
  await move([
    [700, 'EUR'],
    [-700, 'EUR'],
  ]);
  const euro = {
    currency: 'EUR',
    credit: 12.34,
    debt: 10,
    net: 2.34,
    customers_in_credit: 1,
    customers_in_debt: 1,
    customers: 2,
  };
  const yen = {
    currency: 'JPY',
    credit: 100,
    debt: 0,
    net: 100,
    customers_in_credit: 1,
    customers_in_debt: 0,
    customers: 1,
  };
  expect((await read()).body.collection).toEqual([euro, yen]);
  expect((await read(`?to=${today}`)).body.collection).toEqual([euro, yen]);
  expect((await read('?currency=jpy')).body.collection).toEqual([yen]);
  expect((await read('?to=2020-01-01')).body).toEqual({ to: '2020-01-01', collection: [] });
});

test('200: the end of a day includes the movements of that day, and none of the next', async () => {
  const { id } = await move([]);
  const text = `INSERT INTO balance_movements (merchant_id, account_id, currency, amount_minor, reason, cause, created_at)
    VALUES ($1, $2, 'EUR', $3, 'adjustment', gen_random_uuid(), $4)`;
  await app.pool.query(text, [merchant.id, id, 100, '2026-01-31T23:59:59.999Z']);
  await app.pool.query(text, [merchant.id, id, -300, '2026-02-01T00:00:00Z']);
  expect((await read('?to=2026-01-31')).body.collection).toMatchObject([{ credit: 1, debt: 0 }]);
  expect((await read('?to=2026-02-01')).body.collection).toMatchObject([{ credit: 0, debt: 2 }]);
});

test('422 invalid_input: an invalid day or currency', async () => {
  for (const field of ['to', 'currency'])
    expect(await read(`?${field}=x`)).toMatchObject({
      status: 422,
      body: { errors: { [field]: expect.any(String) as string } },
    });
});

test('200: the console shows the report with definitions, and links to a file of the customers', async () => {
  const customer = await move([[1_234, 'EUR']]);
  await move([
    [5, 'EUR'],
    [-5, 'EUR'],
  ]);
  const walker = await enterConsole(app, merchant.email);
  expect((await walker.open('/console/reports')).text).toContain('/console/reports/liabilities');
  const { text } = await walker.open('/console/reports/liabilities');
  for (const told of ['€12.34', 'Customers with credit', 'Customer credit', '/console/csv/balances'])
    expect(text).toContain(told);
  const file = (await walker.open('/console/csv/balances')).text.trim().split('\r\n');
  expect(file).toEqual([
    expect.stringContaining('account_id,email,currency,balance,updated_at'),
    expect.stringContaining(`${customer.id},${customer.email},EUR,12.34,`),
  ]);
  expect((await walker.open('/console/reports/liabilities?to=never')).status).toBe(422);
});
