import { randomUUID } from 'node:crypto';
import { type RunningWorker } from '../../workers/worker';
import { bundleTimeLapse } from '../support/bundles';
import { cards, type Shop } from '../support/factories';
import {
  createPayShop,
  paid,
  pay,
  payWithAuthentication,
  refund,
  refundCards,
  refunded,
  settles,
} from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { passDays } from '../support/testClock';
import { until } from '../support/until';
import { unlapse, writeHistory, type PaymentPath } from './histories';

/** `npm run replay:record` writes the histories of payments and refunds anew; `replay.test.ts` replays them. */

let app: TestApp;
let temporal: TemporalClient;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
});

beforeEach(async () => {
  shop = await createPayShop(app);
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** The history as soon as the workflow has nothing more to do for now. */
function settledHistory(workflowId: string): Promise<string> {
  const isSettled = /TIMER_STARTED|WORKFLOW_EXECUTION_COMPLETED/i;
  return until(async () => {
    const history = await temporal.historyOf(workflowId);
    const { events } = JSON.parse(history) as { events: { eventType: string }[] };
    return isSettled.test(events.at(-1)?.eventType ?? '') && history;
  });
}

async function submitted(card: string, state: 'paid' | 'failed'): Promise<string> {
  const { body } = await pay(app, shop, card);
  await settles(app, body.transaction, state);
  return settledHistory(`payment-${body.transaction}`);
}

async function asked(answer?: 'approved' | 'refused'): Promise<string> {
  const authentication = await payWithAuthentication(app, shop);
  const workflowId = `payment-${authentication.id}`;
  const waiting = await settledHistory(workflowId);
  if (answer === undefined) return waiting;
  await authentication.answer(answer);
  await settles(app, authentication.id, answer === 'approved' ? 'paid' : 'failed');
  return settledHistory(workflowId);
}

async function approvedTooLate(): Promise<string> {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const sale = await createPayShop(app, { access_type: 'ppv_custom', expires_at });
  const authentication = await payWithAuthentication(app, sale);
  await passDays(app, sale.merchant, 2);
  await authentication.answer('approved');
  await settles(app, authentication.id, 'failed');
  return settledHistory(`payment-${authentication.id}`);
}

async function givenUp(): Promise<string> {
  const { id } = await payWithAuthentication(app, shop);
  await app.pool.query(`UPDATE payments SET created_at = created_at - interval '1 minute' WHERE token = $1`, [id]);
  await paid(app, shop);
  return settledHistory(`payment-${id}`);
}

async function givenBack(card: string, state: 'refunded' | 'failed'): Promise<string> {
  const token = await paid(app, shop, card);
  await refund(app, shop.merchant, token);
  const [row] = await refunded(app, token, 1, state);
  return settledHistory(`refund-${row?.token}`);
}

const real: [PaymentPath, () => Promise<string>][] = [
  ['payment-paid', () => submitted(cards.success, 'paid')],
  ['payment-declined', () => submitted(cards.declined, 'failed')],
  ['payment-answer-lost-then-paid', () => submitted(cards.timeoutAfterCharging, 'paid')],
  ['payment-not-charged-then-paid', () => submitted(cards.timeoutBeforeCharging, 'paid')],
  ['payment-waiting-for-the-payer', () => asked()],
  ['payment-payer-approves', () => asked('approved')],
  ['payment-payer-refuses', () => asked('refused')],
  ['payment-approved-too-late', approvedTooLate],
  ['payment-given-up-for-another-card', givenUp],
  ['refund-done', () => givenBack(cards.success, 'refunded')],
  ['refund-refused', () => givenBack(refundCards.refused, 'failed')],
  ['refund-answer-lost', () => givenBack(refundCards.timeoutAfterRefunding, 'refunded')],
  ['refund-not-sent-then-done', () => givenBack(refundCards.timeoutBeforeRefunding, 'refunded')],
];

describe('as it goes', () => {
  let worker: RunningWorker;

  beforeAll(async () => (worker = await app.startWorker()));

  afterAll(() => worker.stop());

  test.each(real)('%s', async (path, record) => writeHistory(path, await record()));

  test('reconcile', async () => {
    const workflowId = `reconcile-${randomUUID()}`;
    const taskQueue = process.env['TEMPORAL_TASK_QUEUE'] ?? '';
    await temporal.client.workflow.start('reconcile', { workflowId, taskQueue });
    writeHistory('reconcile', await settledHistory(workflowId));
  });
});

describe('under the time lapse', () => {
  beforeAll(async () => {
    process.env['WORKFLOW_BUNDLE'] = await bundleTimeLapse();
    await app.startWorker();
  });

  test('payment-payer-never-answers', async () => {
    const { id } = await payWithAuthentication(app, shop);
    await settles(app, id, 'failed');
    writeHistory('payment-payer-never-answers', unlapse(await settledHistory(`payment-${id}`)));
  });
});
