import { cards, createShop, reaches, subscribe } from '../support/factories';
import { bundleTimeLapse } from '../support/bundles';
import {
  approveSilently,
  changeCardOutcome,
  startScenarios,
  type SubscriptionScenario,
  type Scenarios,
} from '../support/scenarios';
import { answerInSilence, renewalAnswerPath, subscribeWithAuthentication } from '../support/payer';
import { minuteMs } from '../support/minuteLapse';
import { until } from '../support/until';
import { unlapse, writeHistory } from './histories';

/** `npm run replay:record` records the histories of charges whose outcome is unknown for some time. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

/** A renewal that waits for its payer. */
async function asked(): Promise<SubscriptionScenario> {
  const scenario = await scenarios.subscribe();
  await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'active');
  await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
  await scenario.advanceDays(32);
  return scenario;
}

async function quietHistory(scenario: SubscriptionScenario): Promise<string> {
  await scenario.advanceDays(0.0001);
  return scenarios.temporal.history(scenario.id);
}

describe('as it goes', () => {
  beforeAll(() => scenarios.startWorker());

  test('a renewal that its payer has approved in the moment of the cancellation', async () => {
    const scenario = await asked();
    await approveSilently(scenarios.app, scenario);
    await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
    writeHistory('approved-then-canceled', await quietHistory(scenario));
  });

  test('a cancellation while the provider is away', async () => {
    const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
    const provider = { ...cardProvider };
    const scenario = await asked();
    let calls = 0;
    cardProvider.voidCharge = (...of) => {
      calls += 1;
      return calls > 1 ? provider.voidCharge(...of) : Promise.resolve({ outcome: 'unknown' });
    };
    await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
    await until(async () => (await scenario.row()).status === 'canceled');
    Object.assign(cardProvider, provider);
    writeHistory('given-up-with-patience', await quietHistory(scenario));
  });

  test('a first payment whose payer has answered while the provider said nothing', async () => {
    const shop = await createShop(scenarios.app);
    const { id, answer } = await subscribeWithAuthentication(scenarios.app, shop);
    await until(async () => /TIMER_STARTED/i.test(await scenarios.temporal.history(id)));
    await answerInSilence(() => answer('approved'));
    await reaches(scenarios.app, shop.consumer, id, 'active');
    writeHistory('answer-in-doubt', await quietHistory(scenarios.of(shop, id)));
  });

  test('a renewal whose payer has answered while the provider said nothing', async () => {
    const scenario = await asked();
    const path = await renewalAnswerPath(scenarios.app, scenario.id);
    await answerInSilence(() => scenario.send('POST', path, { answer: 'approved' }));
    await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'active');
    writeHistory('renewal-in-doubt', await quietHistory(scenario));
  });
});

describe('under the time lapse', () => {
  test('a provider that says nothing for a day', async () => {
    const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
    process.env['TEMPORAL_TASK_QUEUE'] += '-lapsed';
    const { config } = await import('../../src/config.js');
    config.TEMPORAL_TASK_QUEUE += '-lapsed';
    process.env['WORKFLOW_BUNDLE'] = await bundleTimeLapse('minuteLapse');
    await scenarios.app.startWorker();
    const silent = () => Promise.resolve({ outcome: 'unknown' as const });
    Object.assign(cardProvider, { charge: silent, lookUpCharge: silent, voidCharge: silent });
    const shop = await createShop(scenarios.app);
    const { body } = await subscribe(scenarios.app, shop, cards.success);
    await reaches(scenarios.app, shop.consumer, body.subscription_id, 'incomplete_expired');
    const history = await until(async () => {
      const found = await scenarios.temporal.history(body.subscription_id);
      return /WORKFLOW_EXECUTION_COMPLETED/i.test(found) && found;
    });
    writeHistory('unknown-for-a-day', unlapse(history, minuteMs));
  });
});
