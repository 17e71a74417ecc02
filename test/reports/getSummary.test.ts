import { call } from '../support/client';
import { createConsumer, createMerchant, createShop } from '../support/factories';
import { createHistory } from '../support/history';
import { dayAhead, live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';
import { passDays } from '../support/testClock';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the numbers of a range, by currency', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  const other = { ...shop, consumer: await createConsumer(app, shop.merchant) };
  await live(await startStory(app, shop), [['begin', 0]]);
  await live(await startStory(app, other), [
    ['begin', 0],
    ['nextPeriod', 31],
    ['fail', 31],
    ['hold', 38],
  ]);
  const path = `/reporting/summary?from=${dayAhead(10)}&to=${dayAhead(39)}`;
  const { status, body } = await call(app, 'GET', path, undefined, shop.merchant);
  expect([status, body]).toEqual([
    200,
    {
      from: dayAhead(10),
      to: dayAhead(39),
      collection: [
        {
          currency: 'EUR',
          mrr: 10,
          arr: 120,
          active_subscriptions: 1,
          trialing: 0,
          past_due: 0,
          new: 0,
          churned: 1,
          churn_rate: 0.5,
          subscriptions_at_start: 2,
          trial_converted: 0,
          trial_lost: 0,
          trial_conversion_rate: null,
          dunning_recovered: 0,
          dunning_lost: 0,
          recovery_rate: null,
          revenue: 0,
          refunds: 0,
          chargebacks: 0,
          net_revenue: 0,
          arpu: 10,
          ltv: 19.8,
          customers: 1,
        },
      ],
    },
  ]);
});

test('200: money that came and went, and nothing of another merchant', async () => {
  const worker = await app.startWorker();
  const { shop } = await createHistory(app);
  await worker.stop();
  const { body } = await call(app, 'GET', '/reporting/summary', undefined, shop.merchant);
  expect(body).toMatchObject({
    collection: [
      { currency: 'EUR', revenue: 18.99, refunds: 1.5, net_revenue: 17.49, mrr: 9.99, customers: 1, new: 1 },
    ],
  });
  const stranger = await createMerchant(app);
  expect((await call(app, 'GET', '/reporting/summary', undefined, stranger)).body).toMatchObject({ collection: [] });
});

test('200: without a range it is the last 30 days of the merchant’s own time', async () => {
  const { merchant } = await createShop(app);
  await passDays(app, merchant, 100);
  const { body } = await call(app, 'GET', '/reporting/summary', undefined, merchant);
  expect(body).toEqual({ from: dayAhead(71), to: dayAhead(100), collection: [] });
});

test('422 invalid_input: a day that is none', async () => {
  const { merchant } = await createShop(app);
  expect(await call(app, 'GET', '/reporting/summary?from=yesterday', undefined, merchant)).toMatchObject({
    status: 422,
    body: { errors: { from: expect.any(String) as string } },
  });
});
