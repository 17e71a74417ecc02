import { randomUUID } from 'node:crypto';
import {
  actionsAbout,
  decideAbout,
  insertRefused,
  insertWaiting,
  listRefused,
  openOperator,
  type Operator,
} from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

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

const send = (id: number) => decideAbout(app, operator, { id, decision: 'send' });

test('200: Temporal gets the message, and the audit log the decision', async () => {
  const workflowId = `subscription-${randomUUID()}`;
  const id = await insertRefused(app, workflowId);
  expect(await temporal.isRunning(workflowId)).toBe(false);
  expect((await send(id)).status).toBe(200);
  await until(() => temporal.isRunning(workflowId));
  await until(async () => (await app.pool.query('SELECT FROM outbox WHERE id = $1', [id])).rows.length === 0);
  expect(await actionsAbout(app, id)).toEqual(['message.send']);
});

test('404 message_not_found: a message that was sent or deleted, that is on its way, or that never was', async () => {
  const waiting = await insertWaiting(app);
  const sent = await insertRefused(app);
  await send(sent);
  for (const id of [sent, waiting, 2_000_000_000]) {
    const { status, body } = await send(id);
    expect([status, body.error]).toEqual([404, 'message_not_found']);
  }
  expect(await actionsAbout(app, sent)).toEqual(['message.send']);
  expect((await listRefused(app, operator)).total).toBe(0);
});

test('one of two operators who decide at the same time is told that the message is gone', async () => {
  const id = await insertRefused(app);
  const discard = () => decideAbout(app, operator, { id, decision: 'discard' });
  const statuses = (await Promise.all([send(id), discard()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 404]);
  expect(await actionsAbout(app, id)).toHaveLength(1);
});
