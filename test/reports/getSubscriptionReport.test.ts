import { call } from '../support/client';
import { createShop } from '../support/factories';
import { dayAhead, live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: how many began, renewed and ended, and how many there are', async () => {
  const shop = await createShop(app);
  await live(await startStory(app, shop), [
    ['begin', 0],
    ['nextPeriod', 31],
    ['renew', 31],
    ['pause', 62],
    ['resume', 70],
    ['cancel', 71],
  ]);
  const path = `/reporting/subscriptions?interval=day&from=${dayAhead(0)}&to=${dayAhead(71)}`;
  const { status, body } = await call<{ collection: Record<string, number | string | null>[] }>(
    app,
    'GET',
    path,
    undefined,
    shop.merchant,
  );
  expect([status, body.collection.length]).toEqual([200, 72]);
  const on = (days: number) => body.collection[days];
  expect(on(0)).toMatchObject({
    period: dayAhead(0),
    currency: 'EUR',
    new: 1,
    renewed: 0,
    active: 1,
    churn_rate: null,
  });
  expect(on(31)).toMatchObject({ new: 0, renewed: 1, churned: 0, active: 1, churn_rate: 0 });
  expect(on(62)).toMatchObject({ churned: 1, churned_voluntary: 1, churned_payment: 0, active: 0, churn_rate: 1 });
  expect(on(70)).toMatchObject({ new: 0, reactivated: 1, renewed: 1, active: 1 });
  expect(on(71)).toMatchObject({ churned: 1, active: 0 });
});

test('422 invalid_input: an interval that is none', async () => {
  const { merchant } = await createShop(app);
  const { status } = await call(app, 'GET', '/reporting/subscriptions?interval=hour', undefined, merchant);
  expect(status).toBe(422);
});
