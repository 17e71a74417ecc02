import { call } from '../../support/client';
import { createFee, createItem, createShop, reaches, subscribe, type Shop } from '../../support/factories';
import { createHistory, kindsOf, type History, type HistoryPage } from '../../support/history';
import { paid } from '../../support/payments';
import { giveTrial } from '../../support/scenarios';
import { startApp, type TestApp } from '../../support/startApp';
import { answerOf, importStores } from '../../support/storeTold';

/** The history of a merchant by customer, item and amount. */

const days = { access_type: 'ppv', quantity: 2, period: 'day' };

let app: TestApp;
let history: History;
let shop: Shop;
let yen: Shop;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  history = await createHistory(app);
  ({ shop } = history);
  const item = await createItem(app, shop.merchant, { title: 'Audio edition' });
  const fee = await createFee(app, shop.merchant, item.id, { amount: '450', currency: 'JPY', ...days });
  yen = { ...shop, item, fee, consumer: history.other };
  await paid(app, yen);
  const dinar = await createFee(app, shop.merchant, item.id, { amount: '2.500', currency: 'KWD', ...days });
  await paid(app, { ...yen, fee: dinar });
});
afterAll(() => app.stop());

type Page = HistoryPage & { unique_paying_customers: number };

const list = (query: string, caller = shop.merchant) =>
  call<Page>(app, 'GET', `/payments/transactions?${query}`, undefined, caller);
const found = async (query: string) => kindsOf((await list(query)).body);

test('200: of a customer', async () => {
  const { body } = await list(`account_id=${shop.consumer.id}`);
  expect(kindsOf(body)).toEqual([
    ['recurrent', 9.99],
    ['refund', 1.5],
    ['charge', 4.5],
  ]);
  expect([body.total, body.unique_paying_customers]).toEqual([3, 1]);
  expect(await found(`account_id=${shop.consumer.id}&type=refund`)).toEqual([['refund', 1.5]]);
});

test('200: of an item, with its refunds', async () => {
  expect(await found(`item_id=${shop.item.id}`)).toEqual([
    ['charge', 4.5],
    ['recurrent', 9.99],
    ['refund', 1.5],
    ['charge', 4.5],
  ]);
  expect(await found(`item_id=${yen.item.id}&order=asc`)).toEqual([
    ['charge', 450],
    ['charge', 2.5],
  ]);
  expect(await found(`item_id=${yen.item.id}&account_id=${shop.consumer.id}`)).toEqual([]);
});

test.each([
  ['amount_from=4.50&amount_to=4.50', [4.5, 4.5]],
  ['amount_from=4.51&amount_to=449', [9.99]],
  ['amount_from=4.501&amount_to=9.99', [9.99]],
  ['amount_to=2.5', [2.5, 1.5]],
  ['amount_to=2.499', [1.5]],
  ['amount_from=450', [450]],
  ['amount_from=450.1', []],
  ['amount_to=0', []],
])('200: of an amount in the units of each currency, both ends included: %s', async (query, amounts) => {
  const { body } = await list(query);
  expect(body.collection.map(({ charged_amount }) => charged_amount)).toEqual(amounts);
  expect(body.total).toBe(amounts.length);
});

test('200: a trial has the amount 0', async () => {
  const trials = await createShop(app);
  await giveTrial(app, trials.fee.id, [1, 'week']);
  const { body } = await subscribe(app, trials);
  await reaches(app, trials.consumer, body.subscription_id, 'trialing');
  const of = async (query: string) => kindsOf((await list(query, trials.merchant)).body);
  expect(await of('amount_to=0')).toEqual([['free-trial', 0]]);
  expect(await of(`item_id=${trials.item.id}&account_id=${trials.consumer.id}`)).toEqual([['free-trial', 0]]);
  expect(await of('amount_from=0.01')).toEqual([]);
  expect(await of(`item_id=${shop.item.id}`)).toEqual([]);
});

test('200: a payment in an app store', async () => {
  const store = await createShop(app);
  const { claim } = await importStores();
  const told = { state: 'active', isTrial: false, price: { amount: 4.99, currency: 'EUR' }, transaction: 1 } as const;
  await claim(store, store.consumer, 'apple', answerOf(`filtered-${store.merchant.id}`, told, Date.now()));
  const of = async (query: string) => kindsOf((await list(query, store.merchant)).body);
  const one = [['external', 4.99]];
  const own = `item_id=${store.item.id}&account_id=${store.consumer.id}`;
  expect(await of(`${own}&amount_from=4.99&amount_to=4.99`)).toEqual(one);
  expect(await of('amount_from=5')).toEqual([]);
  expect(await of(`${own}&exclude=store-payment`)).toEqual([]);
});

test('200: page by page, and to the file', async () => {
  const query = `item_id=${shop.item.id}&amount_to=4.5`;
  const first = await call<Page & { next_cursor: string }>(
    ...([app, 'GET', `/payments/transactions?${query}&limit=2`, undefined, shop.merchant] as const),
  );
  expect([first.body.total, kindsOf(first.body)]).toEqual([
    3,
    [
      ['charge', 4.5],
      ['refund', 1.5],
    ],
  ]);
  expect(await found(`${query}&limit=2&cursor=${first.body.next_cursor}`)).toEqual([['charge', 4.5]]);
  const path = `/reporting/exports/payment-history?${query}&account_id=${shop.consumer.id}`;
  const file = await fetch(`${app.address}${path}`, { headers: { authorization: `Bearer ${shop.merchant.token}` } });
  const [, ...rows] = (await file.text()).trim().split('\r\n');
  expect(rows.map((row) => row.split(',')[2])).toEqual(['refund', 'charge']);
});

test('200: the totals of the oldest report are those of the filter', async () => {
  const path = `/accounting/report/transactions?item_id=${yen.item.id}&amount_from=100`;
  const { body } = await call<object>(app, 'GET', path, undefined, shop.merchant);
  expect(body).toMatchObject({ total: 1, total_purchases: 1, total_gross_amounts: { JPY: 450 } });
});

test('200: nothing of the customer or the item of another merchant', async () => {
  const stranger = await createShop(app);
  for (const query of [`account_id=${shop.consumer.id}`, `item_id=${shop.item.id}`]) {
    const { body } = await list(query, stranger.merchant);
    expect(body).toMatchObject({ total: 0, unique_paying_customers: 0, collection: [] });
  }
});

test.each([
  ['account_id=x', 'account_id'],
  ['item_id=0', 'item_id'],
  ['amount_from=ten', 'amount_from'],
  ['amount_from=-1', 'amount_from'],
  ['amount_to=1e99', 'amount_to'],
  ['amount_to=1000000000001', 'amount_to'],
  ['amount_from=5&amount_to=4.99', 'amount_to'],
])('422 invalid_input: %s names the field', async (query, field) => {
  for (const path of ['/payments/transactions', '/reporting/exports/payment-history']) {
    const reply = await call<{ errors: object }>(app, 'GET', `${path}?${query}`, undefined, shop.merchant);
    expect([reply.status, Object.keys(reply.body.errors)]).toEqual([422, [field]]);
  }
});
