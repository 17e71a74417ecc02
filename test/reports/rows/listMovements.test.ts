import { call } from '../../support/client';
import { createConsumer, createFee, createShop, type Shop } from '../../support/factories';
import { dayAhead, live, startStory } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let shop: Shop;
let token: string;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00' });
  const story = await startStory(app, shop);
  token = story.token;
  await live(story, [
    ['begin', 0],
    ['cancel', 3],
  ]);
  const other = { ...shop, consumer: await createConsumer(app, shop.merchant) };
  await live(await startStory(app, other), [['begin', 5]]);
});

afterAll(() => app.stop());

interface Lines {
  total: number;
  collection: { kind: string }[];
}

const lines = async (query: string) =>
  (await call<Lines>(app, 'GET', `/reporting/movements?${query}`, undefined, shop.merchant)).body;

test('200: the ledger’s lines, newest first, with whose they are and what they come to', async () => {
  const { body } = await call(app, 'GET', '/reporting/movements?limit=2', undefined, shop.merchant);
  expect(body).toMatchObject({ total: 3, page: 1, offset: 0, limit: 2, sums: { EUR: 10 } });
  expect((body as unknown as Lines).collection).toMatchObject([
    { kind: 'new', amount: 10, mrr: 10, subscriptions: 1, currency: 'EUR' },
    {
      kind: 'churn_voluntary',
      reason: 'canceled',
      amount: -10,
      mrr: 0,
      subscriptions: -1,
      subscription_id: token,
      account_id: shop.consumer.id,
      email: shop.consumer.email,
      item_title: 'Cup final',
      cohort: dayAhead(0).slice(0, 7),
    },
  ]);
});

test.each([
  ['kind=new', 2],
  ['kind=churn_voluntary,churn_payment', 1],
  ['first=true', 2],
  ['customers=true', 3],
  ['customers=false', 0],
  [`from=${dayAhead(3)}`, 2],
  [`to=${dayAhead(3)}`, 2],
  ['currency=USD', 0],
  ['country_iso=FR', 0],
])('200: those that %s asks for', async (query, total) => expect(await lines(query)).toMatchObject({ total }));

test('200: which line is the first of its subscription, and by how many customers and subscriptions change', async () => {
  const again = await createShop(app, { amount: '10.00' });
  const second = await createFee(app, again.merchant, again.item.id, { amount: '20.00' });
  const begins = await startStory(app, again);
  await live(begins, [['begin', 0]]);
  await live(begins, [['switch', 1]], second.id);
  await live(begins, [
    ['pause', 2],
    ['resume', 3],
  ]);
  const asked = async (query: string) =>
    (await call(app, 'GET', `/reporting/movements?${query}`, undefined, again.merchant)).body;
  expect(await asked('')).toMatchObject({ total: 4, counts: { EUR: { subscriptions: 1, customers: 1 } } });
  expect(await asked('first=true')).toMatchObject({ total: 1, collection: [{ kind: 'new', customers: 1 }] });
  expect(await asked('customers=true')).toMatchObject({
    total: 3,
    sums: { EUR: 10 },
    collection: [{ customers: 1 }, { customers: -1 }, { customers: 1 }],
  });
  expect(await asked(`to=${dayAhead(2)}`)).toMatchObject({ counts: { EUR: { subscriptions: 0, customers: 0 } } });
});

test('200: those of one customer, subscription or item', async () => {
  expect(await lines(`account_id=${shop.consumer.id}`)).toMatchObject({ total: 2 });
  expect(await lines(`subscription_id=${token}`)).toMatchObject({ total: 2 });
  expect(await lines(`item_id=${shop.item.id}`)).toMatchObject({ total: 3 });
});

test('200: nothing of another merchant', async () => {
  const other = await createShop(app);
  const asked = `/reporting/movements?account_id=${shop.consumer.id}`;
  expect((await call(app, 'GET', asked, undefined, other.merchant)).body).toMatchObject({ total: 0, collection: [] });
});

test('422 invalid_input: a kind that is none', async () => {
  expect((await call(app, 'GET', '/reporting/movements?kind=luck', undefined, shop.merchant)).status).toBe(422);
});
