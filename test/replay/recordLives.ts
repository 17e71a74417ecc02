import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { cards, createFee, createShop, type Submitted } from '../support/factories';
import { giveTrial, startLives, type Lived, type Lives } from '../support/lives';
import { call } from '../support/client';
import { submitLapsedTrial } from '../support/lapsedTrials';
import { installQuietRuntime } from '../support/quietRuntime';
import { until } from '../support/until';
import { type Activities } from '../../activities';
import { writeHistory, type LifePath } from './histories';

/** `npm run replay:record` writes the histories of lives too: periods pass on the merchant's clock. */

let lives: Lives;

beforeAll(async () => (lives = await startLives({ isIdle: true })));

afterAll(() => lives.stop());

const signal = (life: Lived, name: string) =>
  lives.temporal.client.workflow.getHandle(`subscription-${life.id}`).signal(name, {});
const reaches = (life: Lived, status: string) => until(async () => (await life.row()).status === status);

async function dearer(life: Lived): Promise<void> {
  const { id } = await createFee(lives.app, life.shop.merchant, life.shop.item.id, { amount: '19.99' });
  await life.ask('switch', { access_fee_id: id });
}

async function beginWithoutCard(): Promise<Lived> {
  const shop = await createShop(lives.app);
  await giveTrial(lives.app, shop.fee.id, [7, 'day']);
  await lives.app.pool.query(`UPDATE access_fees SET trial_end_behaviour = 'cancel' WHERE id = $1`, [shop.fee.id]);
  const fields = { access_fee: shop.fee.id };
  const { body } = await call<Submitted>(lives.app, 'POST', '/subscriptions', fields, shop.consumer);
  const life = lives.of(shop, body.subscription_id);
  await reaches(life, 'trialing');
  return life;
}

const real: [LifePath, () => Promise<Lived>, (life: Lived) => Promise<unknown>][] = [
  ['renewed', () => lives.begin(), (life) => life.pass(32)],
  ['past-due-then-recovered', () => lives.begin(cards.declinedOnceAtRenewal), (life) => life.pass(34)],
  ['on-hold-then-expired', () => lives.begin(cards.declinedAtRenewal), (life) => life.pass(60)],
  [
    'canceled',
    () => lives.begin(),
    async (life) => {
      await life.send('DELETE', `/subscriptions/${life.id}`);
      await life.pass(32);
    },
  ],
  [
    'cancellation-taken-back',
    () => lives.begin(),
    async (life) => {
      await life.send('DELETE', `/subscriptions/${life.id}`);
      await life.ask('resume');
    },
  ],
  [
    'revoked-then-restored',
    () => lives.begin(),
    async (life) => {
      await signal(life, 'revoked');
      await reaches(life, 'revoked');
      await signal(life, 'restored');
      await reaches(life, 'active');
    },
  ],
  [
    'erased-on-hold',
    () => lives.begin(cards.declinedAtRenewal),
    async (life) => {
      await life.pass(40);
      await signal(life, 'accountErased');
      await reaches(life, 'canceled');
    },
  ],
  [
    'paused-then-resumed',
    () => lives.begin(),
    async (life) => {
      await life.ask('pause');
      await life.pass(35);
      await life.ask('resume');
    },
  ],
  [
    'resumption-refused',
    () => lives.begin(cards.declinedAtRenewal),
    async (life) => {
      await life.ask('pause');
      await life.pass(35);
      await life.ask('resume');
    },
  ],
  ['switched', () => lives.begin(), dearer],
  [
    'new-card',
    () => lives.begin(cards.lostAtRenewal),
    async (life) => {
      await life.pass(33);
      const card = { number: cards.success, card_name: 'Ana', exp_month: 1, exp_year: 2041, cvv: 123 };
      await life.send('PUT', '/v2/payments/cards/default', { ...card, currency_iso: 'EUR' });
      await reaches(life, 'active');
    },
  ],
  [
    'trial-without-a-card',
    beginWithoutCard,
    async (life) => {
      await life.pass(5);
      await life.send('GET', `/subscriptions/cancel/${life.id}`);
      await life.pass(3);
    },
  ],
  ['trial-converted', () => lives.begin(cards.success, { trial: [7, 'day'] }), (life) => life.pass(8)],
];

/** The history once nothing more happens for now. */
async function quietHistory(life: Lived): Promise<string> {
  await life.pass(0.0001);
  return lives.temporal.history(life.id);
}

test('a run of older code, whose first period had no standing', async () => {
  const { createActivities } = await import('../../activities/index.js');
  const { startWorker } = await import('../../workers/worker.js');
  installQuietRuntime();
  const activities = createActivities();
  const older: Activities = {
    ...activities,
    activateSubscription: async (id) => ({ periodEndMs: (await activities.activateSubscription(id)).periodEndMs }),
  };
  const worker = await startWorker({
    address: process.env['TEMPORAL_ADDRESS'] ?? '',
    namespace: 'default',
    taskQueue: process.env['TEMPORAL_TASK_QUEUE'] ?? '',
    workflowBundle: process.env['WORKFLOW_BUNDLE'] ?? '',
    activities: older,
  });
  const life = await lives.begin();
  await reaches(life, 'active');
  const old = (await life.row()).current_period_end;
  await call(lives.app, 'POST', '/test-clock', { advance: 33 * 86_400 }, life.shop.merchant);
  await until(async () => (await life.row()).current_period_end > old);
  writeHistory('old-run-renewed', await quietHistory(life));
  await worker.stop();
});

test('a trial whose voucher others have used before it could begin', async () => {
  const { shop, id } = await submitLapsedTrial(lives.app, true);
  const worker = await lives.app.startWorker();
  await reaches(lives.of(shop, id), 'incomplete_expired');
  const run = await lives.temporal.begun(`subscription-${id}`);
  await run.result();
  writeHistory('trial-without-its-voucher', await lives.temporal.history(id));
  await worker.stop();
});

describe('as it goes', () => {
  beforeAll(() => lives.work());

  test.each(real)('%s', async (path, begin, play) => {
    const life = await begin();
    await play(life);
    writeHistory(path, await quietHistory(life));
  });

  test('two runs of one life', async () => {
    const life = await lives.begin(cards.success, { fee: { quantity: 1, period: 'hour' } });
    const handle = lives.temporal.client.workflow.getHandle(`subscription-${life.id}`);
    const { runId } = await handle.describe();
    await life.pass(201 / 24);
    const first = lives.temporal.client.workflow.getHandle(`subscription-${life.id}`, runId);
    writeHistory('goes-on-in-a-new-run', historyToJSON(await first.fetchHistory()));
    writeHistory('in-a-new-run', await quietHistory(life));
  });
});
