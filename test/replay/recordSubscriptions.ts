import { acceptOffer, askOffer, createOffer } from '../support/cancelOffers';
import { cards, createFee, createShop, type Submitted } from '../support/factories';
import { extend } from '../support/extensions';
import { giveTrial, startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { call } from '../support/client';
import { submitLapsedTrial } from '../support/lapsedTrials';
import { until } from '../support/until';
import { writeHistory, type LifePath } from './histories';

/** `npm run replay:record` records the histories of subscriptions. The merchant's test clock moves through the periods. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

const signal = (scenario: SubscriptionScenario, name: string) =>
  scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`).signal(name, {});
const reaches = (scenario: SubscriptionScenario, status: string) =>
  until(async () => (await scenario.row()).status === status);

async function dearer(scenario: SubscriptionScenario): Promise<void> {
  const { id } = await createFee(scenarios.app, scenario.shop.merchant, scenario.shop.item.id, { amount: '19.99' });
  await scenario.request('switch', { access_fee_id: id });
}

async function beginWithoutCard(): Promise<SubscriptionScenario> {
  const shop = await createShop(scenarios.app);
  await giveTrial(scenarios.app, shop.fee.id, [7, 'day']);
  await scenarios.app.pool.query(`UPDATE access_fees SET trial_end_behaviour = 'cancel' WHERE id = $1`, [shop.fee.id]);
  const fields = { access_fee: shop.fee.id };
  const { body } = await call<Submitted>(scenarios.app, 'POST', '/subscriptions', fields, shop.consumer);
  const scenario = scenarios.of(shop, body.subscription_id);
  await reaches(scenario, 'trialing');
  return scenario;
}

const real: [LifePath, () => Promise<SubscriptionScenario>, (scenario: SubscriptionScenario) => Promise<unknown>][] = [
  ['renewed', () => scenarios.subscribe(), (scenario) => scenario.advanceDays(32)],
  [
    'past-due-then-recovered',
    () => scenarios.subscribe(cards.declinedOnceAtRenewal),
    (scenario) => scenario.advanceDays(34),
  ],
  ['on-hold-then-expired', () => scenarios.subscribe(cards.declinedAtRenewal), (scenario) => scenario.advanceDays(60)],
  [
    'canceled',
    () => scenarios.subscribe(),
    async (scenario) => {
      await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
      await scenario.advanceDays(32);
    },
  ],
  [
    'cancellation-taken-back',
    () => scenarios.subscribe(),
    async (scenario) => {
      await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
      await scenario.request('resume');
    },
  ],
  [
    'revoked-then-restored',
    () => scenarios.subscribe(),
    async (scenario) => {
      await signal(scenario, 'revoked');
      await reaches(scenario, 'revoked');
      await signal(scenario, 'restored');
      await reaches(scenario, 'active');
    },
  ],
  [
    'erased-on-hold',
    () => scenarios.subscribe(cards.declinedAtRenewal),
    async (scenario) => {
      await scenario.advanceDays(40);
      await signal(scenario, 'accountErased');
      await reaches(scenario, 'canceled');
    },
  ],
  [
    'paused-then-resumed',
    () => scenarios.subscribe(),
    async (scenario) => {
      await scenario.request('pause');
      await scenario.advanceDays(35);
      await scenario.request('resume');
    },
  ],
  [
    'kept-with-an-offer',
    () => scenarios.subscribe(),
    async (scenario) => {
      await createOffer(scenarios.app, scenario.shop.merchant);
      const { offer_id: id } = (await askOffer(scenario)).body;
      await acceptOffer(scenarios.app, scenario, id);
    },
  ],
  [
    'resumption-refused',
    () => scenarios.subscribe(cards.declinedAtRenewal),
    async (scenario) => {
      await scenario.request('pause');
      await scenario.advanceDays(35);
      await scenario.request('resume');
    },
  ],
  ['switched', () => scenarios.subscribe(), dearer],
  [
    'new-card',
    () => scenarios.subscribe(cards.lostAtRenewal),
    async (scenario) => {
      await scenario.advanceDays(33);
      const card = { number: cards.success, card_name: 'Ana', exp_month: 1, exp_year: 2041, cvv: 123 };
      await scenario.send('PUT', '/v2/payments/cards/default', { ...card, currency_iso: 'EUR' });
      await reaches(scenario, 'active');
    },
  ],
  [
    'trial-without-a-card',
    beginWithoutCard,
    async (scenario) => {
      await scenario.advanceDays(5);
      await scenario.send('GET', new URL((await scenario.row()).unsubscribe_url).pathname);
      await scenario.advanceDays(3);
    },
  ],
  [
    'compared-with-its-row',
    () => scenarios.subscribe(cards.success),
    (scenario) => scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`).signal('checkRow'),
  ],
  // A notice that changes nothing is answered by the row that the run knows.
  ['answered-without-a-step', () => scenarios.subscribe(cards.success), (scenario) => signal(scenario, 'restored')],
  [
    'renewal-put-off',
    () => scenarios.subscribe(cards.misconfiguredAtRenewal),
    async (scenario) => {
      await scenario.advanceDays(32);
      // The run of the new period delays the renewal again.
      await scenario.advanceDays(0.1);
    },
  ],
  [
    'trial-converted',
    () => scenarios.subscribe(cards.success, { trial: [7, 'day'] }),
    (scenario) => scenario.advanceDays(8),
  ],
];

/** The history once nothing more happens for now. */
async function quietHistory(scenario: SubscriptionScenario): Promise<string> {
  await scenario.advanceDays(0.0001);
  return scenarios.temporal.history(scenario.id);
}

test('a trial whose voucher others have used before it could begin', async () => {
  const { shop, id } = await submitLapsedTrial(scenarios.app, true);
  const worker = await scenarios.app.startWorker();
  await reaches(scenarios.of(shop, id), 'incomplete_expired');
  const run = await scenarios.temporal.begun(`subscription-${id}`);
  await run.result();
  writeHistory('trial-without-its-voucher', await scenarios.temporal.history(id));
  await worker.stop();
});

describe('as it goes', () => {
  beforeAll(() => scenarios.startWorker());

  test.each(real)('%s', async (path, begin, play) => {
    const scenario = await begin();
    await play(scenario);
    writeHistory(path, await quietHistory(scenario));
  });

  test('a period that a merchant has made longer', async () => {
    const scenario = await scenarios.subscribe();
    const run = await scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`).describe();
    await extend(scenarios.app, scenario);
    await quietHistory(scenario);
    writeHistory('extended', await scenarios.temporal.historyOf(`subscription-${scenario.id}`, run.runId));
  });

  test('two runs of one life', async () => {
    const scenario = await scenarios.subscribe(cards.success, { fee: { quantity: 1, period: 'hour' } });
    const handle = scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`);
    const { runId } = await handle.describe();
    await scenario.advanceDays(2 / 24);
    writeHistory('goes-on-in-a-new-run', await scenarios.temporal.historyOf(`subscription-${scenario.id}`, runId));
    writeHistory('in-a-new-run', await quietHistory(scenario));
  });
});
