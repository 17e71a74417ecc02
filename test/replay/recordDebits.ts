import { accounts, charged, createDebitShop, payByDebit, subscribeByDebit } from '../support/debits';
import { settles } from '../support/payments';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../support/scenarios';
import { passDays } from '../support/testClock';
import { until } from '../support/until';
import { writeHistory, type DebitPath } from './histories';

/** `npm run replay:record` writes the histories of direct debits too: their days pass on the merchant's clock. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const reaches = (scenario: SubscriptionScenario, status: string) =>
  until(async () => (await scenario.row()).status === status);

async function submitted(iban: string, access: 'at_submission' | 'with_payment'): Promise<SubscriptionScenario> {
  const shop = await createDebitShop(scenarios.app, iban, { access });
  const { body } = await subscribeByDebit(scenarios.app, shop);
  await charged(scenarios.app, body.subscription_id, 'processing');
  const scenario = scenarios.of(shop, body.subscription_id);
  if (access === 'at_submission') await reaches(scenario, 'active');
  return scenario;
}

const paths: [DebitPath, () => Promise<SubscriptionScenario>][] = [
  [
    'debit-renewed',
    async () => {
      const scenario = await submitted(accounts.paid, 'at_submission');
      await scenario.advanceDays(33);
      await scenario.advanceDays(6);
      return scenario;
    },
  ],
  [
    'debit-failed-after-access',
    async () => {
      const scenario = await submitted(accounts.failed, 'at_submission');
      await scenario.advanceDays(6);
      return scenario;
    },
  ],
  [
    'debit-taken-back',
    async () => {
      const scenario = await submitted(accounts.returnedOnceAtRenewal, 'at_submission');
      for (const days of [33, 6, 11]) await scenario.advanceDays(days);
      return scenario;
    },
  ],
  [
    'debit-paid-later',
    async () => {
      const scenario = await submitted(accounts.paid, 'with_payment');
      await passDays(scenarios.app, scenario.shop.merchant, 6);
      await reaches(scenario, 'active');
      return scenario;
    },
  ],
];

test.each(paths)('%s', async (path, play) => {
  const scenario = await play();
  await scenario.advanceDays(0.0001);
  writeHistory(path, await scenarios.temporal.history(scenario.id));
});

/** The run ends with the period, so this is the history of the run before the one with the new period. */
test('debit-submitted-at-renewal', async () => {
  const scenario = await submitted(accounts.paid, 'at_submission');
  const workflowId = `subscription-${scenario.id}`;
  const { runId } = await scenarios.temporal.client.workflow.getHandle(workflowId).describe();
  await scenario.advanceDays(33);
  writeHistory('debit-submitted-at-renewal', await scenarios.temporal.historyOf(workflowId, runId));
});

test('payment-debit-paid', async () => {
  const { app, temporal } = scenarios;
  const fee = { access_type: 'ppv', quantity: 60, period: 'day' };
  const shop = await createDebitShop(app, accounts.paid, { access: 'at_submission', fee });
  const { body } = await payByDebit(app, shop);
  await charged(app, body.transaction, 'processing');
  await passDays(app, shop.merchant, 6);
  await settles(app, body.transaction, 'paid');
  const workflowId = `payment-${body.transaction}`;
  await temporal.client.workflow.getHandle(workflowId).result();
  writeHistory('payment-debit-paid', await temporal.historyOf(workflowId));
});
