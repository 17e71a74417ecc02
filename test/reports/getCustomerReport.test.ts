import { call } from '../support/client';
import { createFee, createItem, createShop } from '../support/factories';
import { dayAhead, live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: who has two subscriptions is one customer, until the last of them ends', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id, { amount: '20.00' });
  const [first, second] = [await startStory(app, shop), await startStory(app, { ...shop, item, fee })];
  for (const story of [first, second]) await live(story, [['begin', 0]]);
  await live(first, [['cancel', 1]]);
  await live(second, [['cancel', 2]]);
  const path = `/reporting/customers?from=${dayAhead(0)}&to=${dayAhead(2)}`;
  const { status, body } = await call(app, 'GET', path, undefined, shop.merchant);
  expect([status, body]).toMatchObject([
    200,
    {
      collection: [
        { customers: 1, mrr: 30, arpu: 30, churn_rate: null, ltv: null },
        { customers: 1, mrr: 20, arpu: 20, churn_rate: 0.5, ltv: 20 },
        { customers: 0, mrr: 0, arpu: null, churn_rate: 1, ltv: null },
      ],
    },
  ]);
});

test('422 invalid_input: a currency that is no code', async () => {
  const { merchant } = await createShop(app);
  expect((await call(app, 'GET', '/reporting/customers?currency=euro', undefined, merchant)).status).toBe(422);
});
