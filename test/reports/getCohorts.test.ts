import { call } from '../support/client';
import { createConsumer, createShop } from '../support/factories';
import { dayAhead, live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: of those that began in a month, how many are left in each month since', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  const other = { ...shop, consumer: await createConsumer(app, shop.merchant) };
  await live(await startStory(app, shop), [['begin', 0]]);
  await live(await startStory(app, other), [
    ['begin', 0],
    ['cancel', 32],
  ]);
  const path = `/reporting/cohorts?from=${dayAhead(0)}&to=${dayAhead(65)}`;
  const { status, body } = await call<{ collection: { months: object[] }[] }>(
    app,
    'GET',
    path,
    undefined,
    shop.merchant,
  );
  const cohort = dayAhead(0).slice(0, 7);
  expect([status, body]).toMatchObject([200, { collection: [{ cohort, currency: 'EUR', size: 2 }] }]);
  const { months = [] } = body.collection[0] ?? {};
  expect([months[0], months.at(-1)]).toEqual([
    { month: cohort, subscriptions: 2, mrr: 20, retention: 1, mrr_retention: 1 },
    { month: dayAhead(65).slice(0, 7), subscriptions: 1, mrr: 10, retention: 0.5, mrr_retention: 0.5 },
  ]);
  const rows = await call(app, 'GET', `/reporting/movements?cohort=${cohort}`, undefined, shop.merchant);
  expect(rows.body).toMatchObject({ total: 3, sums: { EUR: 10 } });
});

test('422 invalid_input: a day that is none', async () => {
  const { merchant } = await createShop(app);
  expect((await call(app, 'GET', '/reporting/cohorts?from=2026-13-01', undefined, merchant)).status).toBe(422);
});
