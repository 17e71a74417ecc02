import { type RunningWorker } from '../../workers/worker';
import { subscribeWithAuthentication } from '../support/payer';
import { bundleTimeLapse } from '../support/bundles';
import { call } from '../support/client';
import { cards, createShop, reaches, subscribe, type Shop, type SubscriptionRow } from '../support/factories';
import { giveTrial } from '../support/scenarios';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import { unlapse, writeHistory, type Path } from './histories';

/** `npm run replay:record` writes the histories anew; `replay.test.ts` replays them. */

let app: TestApp;
let temporal: TemporalClient;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
});

beforeEach(async () => {
  shop = await createShop(app);
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** The history as soon as the workflow has nothing more to do for now. */
function settledHistory(id: string): Promise<string> {
  const isSettled = /TIMER_STARTED|WORKFLOW_EXECUTION_COMPLETED/i;
  return until(async () => {
    const history = await temporal.history(id);
    const { events } = JSON.parse(history) as { events: { eventType: string }[] };
    return isSettled.test(events.at(-1)?.eventType ?? '') && history;
  });
}

async function purchased(card: string, status: SubscriptionRow['status']): Promise<string> {
  const { body } = await subscribe(app, shop, card);
  await reaches(app, shop.consumer, body.subscription_id, status);
  return settledHistory(body.subscription_id);
}

async function asked(answer?: 'approved' | 'refused', options: { confirmsEarly?: boolean } = {}): Promise<string> {
  const authentication = await subscribeWithAuthentication(app, shop);
  const { id, pi } = authentication;
  await settledHistory(id);
  if (options.confirmsEarly) {
    await call(app, 'POST', '/subscriptions', { pi_id: pi }, shop.consumer);
    await until(async () => (await temporal.history(id)).includes('EXECUTION_SIGNALED') && settledHistory(id));
  }
  if (answer === undefined) return settledHistory(id);
  await authentication.answer(answer);
  await reaches(app, shop.consumer, id, answer === 'approved' ? 'active' : 'incomplete_expired');
  return settledHistory(id);
}

/** The card of a trial waits for its payer, who approves it or begins again with another card. */
async function askedForTrial(isApproved: boolean): Promise<string> {
  await giveTrial(app, shop.fee.id, [7, 'day']);
  const { id, answer } = await subscribeWithAuthentication(app, shop);
  await settledHistory(id);
  if (isApproved) await answer('approved');
  else await subscribe(app, shop, cards.success);
  await reaches(app, shop.consumer, id, isApproved ? 'trialing' : 'incomplete_expired');
  return settledHistory(id);
}

const real: [Path, () => Promise<string>][] = [
  ['paid', () => purchased(cards.success, 'active')],
  ['declined', () => purchased(cards.declined, 'incomplete_expired')],
  ['answer-lost-then-paid', () => purchased(cards.timeoutAfterCharging, 'active')],
  ['not-charged-then-paid', () => purchased(cards.timeoutBeforeCharging, 'active')],
  ['waiting-for-the-payer', () => asked()],
  ['payer-approves', () => asked('approved')],
  ['payer-refuses', () => asked('refused')],
  ['payer-confirms-early-then-approves', () => asked('approved', { confirmsEarly: true })],
  ['trial-payer-approves', () => askedForTrial(true)],
  ['trial-given-up', () => askedForTrial(false)],
];

const lapsed: [Path, () => Promise<string>][] = [
  [
    'payer-never-answers',
    async () => {
      const { id } = await subscribeWithAuthentication(app, shop);
      await reaches(app, shop.consumer, id, 'incomplete_expired');
      return settledHistory(id);
    },
  ],
];

describe('as it goes', () => {
  let worker: RunningWorker;

  beforeAll(async () => (worker = await app.startWorker()));

  afterAll(() => worker.stop());

  test.each(real)('%s', async (path, record) => writeHistory(path, await record()));
});

describe('under the time lapse', () => {
  beforeAll(async () => {
    process.env['WORKFLOW_BUNDLE'] = await bundleTimeLapse();
    await app.startWorker();
  });

  test.each(lapsed)('%s', async (path, record) => writeHistory(path, unlapse(await record())));
});
