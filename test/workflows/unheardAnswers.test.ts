import { createShop, reaches } from '../support/factories';
import { changeCardOutcome, startScenarios, type Scenarios } from '../support/scenarios';
import { answerInSilence, renewalAnswerPath, subscribeWithAuthentication } from '../support/payer';
import { createPayShop, payWithAuthentication, settles } from '../support/payments';
import { until } from '../support/until';

/** The payer has answered, and the provider does not report the answer. It is asked again soon. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

/** Waits until a run has looked the charge up and waits. */
const waits = (workflowId: string) =>
  until(async () => /TIMER_STARTED/i.test(await scenarios.temporal.historyOf(workflowId)));

test('subscribe.success: a first payment', async () => {
  const shop = await createShop(scenarios.app);
  const { id, answer } = await subscribeWithAuthentication(scenarios.app, shop);
  await waits(`subscription-${id}`);
  await answerInSilence(() => answer('approved'));
  await reaches(scenarios.app, shop.consumer, id, 'active');
});

test('payment.card.success: a one-time payment', async () => {
  const shop = await createPayShop(scenarios.app);
  const { id, answer } = await payWithAuthentication(scenarios.app, shop);
  await waits(`payment-${id}`);
  await answerInSilence(() => answer('approved'));
  await settles(scenarios.app, id, 'paid');
});

test('subscribe.renewed: a renewal, long before the next try', async () => {
  const scenario = await scenarios.subscribe();
  await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
  expect(await scenario.advancePastEnd(0.5)).toMatchObject({ status: 'past_due' });
  const path = await renewalAnswerPath(scenarios.app, scenario.id);
  await answerInSilence(() => scenario.send('POST', path, { answer: 'approved' }));
  await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'active');
});
