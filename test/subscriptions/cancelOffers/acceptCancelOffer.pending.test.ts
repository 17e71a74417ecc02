import { call } from '../../support/client';
import { askOffer, createOffer } from '../../support/cancelOffers';
import { startScenarios, type Scenarios } from '../../support/scenarios';
import { until } from '../../support/until';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));
afterAll(() => scenarios.stop());

test('202: the run does not answer in time; the change follows', async () => {
  const scenario = await scenarios.subscribe();
  const { app } = scenarios;
  const worker = await app.startWorker();
  await until(async () => (await scenario.row()).status === 'active');
  await worker.stop();
  await createOffer(app, scenario.shop.merchant);
  const { offer_id } = (await askOffer(scenario)).body;
  const path = `/v2/subscriptions/${scenario.id}/cancel-offer/accept`;
  const reply = await call(app, 'POST', path, { offer_id }, scenario.shop.consumer);
  expect(reply).toMatchObject({ status: 202, body: { subscription_id: scenario.id, status: 'pending' } });
  await app.startWorker();
  await until(async () => (await scenario.row()).offer_percent === 50);
  expect((await scenario.row()).offer_charges_left).toBe(2);
});
