import {
  actionsAbout,
  decideAbout,
  insertRefused,
  insertWaiting,
  openOperator,
  type Operator,
} from '../support/operators';
import { createShop, reaches, subscribe } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { sweepAll } from '../support/sweeps';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';

let app: TestApp;
let operator: Operator;
let temporal: TemporalClient;

beforeAll(async () => {
  app = await startApp();
  operator = await openOperator(app);
  temporal = await connectTemporal();
});
afterAll(async () => {
  await temporal.close();
  await app.stop();
});

const discard = (id: number) => decideAbout(app, operator, { id, decision: 'discard' });
const isStored = async (id: number) =>
  (await app.pool.query('SELECT FROM outbox WHERE id = $1', [id])).rows.length === 1;

test('200: the message is deleted, others stay, and the audit log has the decision', async () => {
  const [id, other] = [await insertRefused(app), await insertRefused(app)];
  expect((await discard(id)).status).toBe(200);
  expect([await isStored(id), await isStored(other)]).toEqual([false, true]);
  expect(await actionsAbout(app, id)).toEqual(['message.discard']);
});

test('200: the work of a deleted start is not lost: the run starts from its row', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  const workflowId = `subscription-${body.subscription_id}`;
  await (await temporal.begun(workflowId)).terminate();
  const id = await insertRefused(app, workflowId);
  await discard(id);
  await sweepAll();
  await app.startWorker();
  await reaches(app, shop.consumer, body.subscription_id, 'active');
});

test('404 message_not_found: a message that waits for its time, and one that never was', async () => {
  const waiting = await insertWaiting(app);
  for (const id of [waiting, 2_000_000_000]) {
    const { status, body } = await discard(id);
    expect([status, body.error]).toEqual([404, 'message_not_found']);
  }
  expect(await isStored(waiting)).toBe(true);
});
