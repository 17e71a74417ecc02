import { type RunningWorker } from '../../workers/worker';
import { subscriptionWorkflowId } from '../../workflows/messages';
import { call } from '../support/client';
import { cards, createShop, password, reaches, subscribe, type Shop } from '../support/factories';
import { subscribeWithAuthentication } from '../support/payer';
import { isErased, requestErasure } from '../support/privacy';
import { readable } from '../support/readable';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import { writeHistory } from './histories';

/** `npm run replay:record` records the histories of exports, erasures and the subscriptions that an erasure ends. */

let app: TestApp;
let temporal: TemporalClient;
let worker: RunningWorker;
let shop: Shop;

beforeAll(async () => {
  // The payloads are not encrypted, because those of an erased account could not be read.
  app = await startApp({ ENCRYPTION_KEY: '' });
  temporal = await connectTemporal();
  worker = await app.startWorker();
});

beforeEach(async () => {
  shop = await createShop(app);
});

afterAll(async () => {
  await worker.stop();
  await temporal.close();
  await app.stop();
});

const ended = (workflowId: string) =>
  until(async () => {
    const history = await temporal.historyOf(workflowId);
    return /WORKFLOW_EXECUTION_COMPLETED/i.test(history) && history;
  });

const historyOf = async (kind: 'export' | 'erasure') => ended(await runOf(kind));

async function runOf(kind: 'export' | 'erasure'): Promise<string> {
  const text = 'SELECT token FROM account_operations WHERE account_id = $1 AND kind = $2';
  const { rows } = await app.pool.query<{ token: string }>(text, [shop.consumer.id, kind]);
  return `account-${kind}-${rows[0]?.token}`;
}

const requestExport = () => call(app, 'POST', '/accounts/export', { password }, shop.consumer);

test('an export', async () => {
  await requestExport();
  writeHistory('account-exported', await historyOf('export'));
});

test('an export that an erasure cancels', async () => {
  await worker.stop();
  await requestExport();
  await requestErasure(app, shop.consumer);
  worker = await app.startWorker();
  writeHistory('account-export-cancelled', await historyOf('export'));
});

test('an erasure', async () => {
  await requestErasure(app, shop.consumer);
  writeHistory('account-erased-everywhere', await historyOf('erasure'));
});

test('an erasure of which a workflow still runs when the rest is done', async () => {
  const { workflow } = temporal.client;
  const taskQueue = 'nobody listens here';
  const { body } = await subscribe(app, shop, cards.declined);
  await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
  const workflowId = subscriptionWorkflowId(body.subscription_id);
  const late = await workflow.start('subscription', { workflowId, taskQueue, args: [{ subscriptionId: 0 }] });
  await requestErasure(app, shop.consumer);
  await isErased(app, shop.consumer.id);
  await until(async () => /have not ended yet/.test(readable(await temporal.historyOf(await runOf('erasure')))));
  await late.terminate();
  writeHistory('account-erased-with-its-key', await historyOf('erasure'));
});

test('an erasure that waits for a subscription', async () => {
  const { body } = await subscribe(app, shop, cards.success);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await requestErasure(app, shop.consumer);
  await isErased(app, shop.consumer.id);
  writeHistory('account-erased-everywhere-with-a-subscription', await historyOf('erasure'));
  writeHistory('erased-while-active', await ended(`subscription-${body.subscription_id}`));
});

test('an erasure that finds a subscription waiting for its payer', async () => {
  const { id } = await subscribeWithAuthentication(app, shop);
  await requestErasure(app, shop.consumer);
  writeHistory('erased-while-waiting-for-the-payer', await ended(`subscription-${id}`));
});
