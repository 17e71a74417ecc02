import { randomUUID } from 'node:crypto';
import type * as Temporal from '../../src/adapters/temporal';
import { changeUpdates, refusedChange, subscriptionWorkflowId } from '../../workflows/messages';
import { createShop, reaches, subscribe } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let temporal: typeof Temporal;

beforeAll(async () => {
  app = await startApp();
  temporal = await import('../../src/adapters/temporal.js');
});

afterAll(() => app.stop());

const update = { name: changeUpdates.cancel, id: 'cancel:1', input: {}, refusedType: refusedChange };
const rowHasEnded = () => Promise.resolve(undefined);

test('a run whose worker is silent says nothing about the server: other runs are started at once', async () => {
  // No worker polls this file's task queue.
  const { body } = await subscribe(app, await createShop(app));
  const workflowId = subscriptionWorkflowId(body.subscription_id);
  expect(await temporal.updateWorkflow(workflowId, update, rowHasEnded)).toEqual({ unanswered: true });
  expect((await import('../../src/adapters/temporalConnection.js')).temporalAnswers()).toBe(true);
});

test('503 service_unavailable: a run that cannot answer a query, as while its worker stops', async () => {
  const worker = await app.startWorker();
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const query = temporal.queryWorkflow(subscriptionWorkflowId(body.subscription_id), 'no such query');
  await expect(query).rejects.toMatchObject({ code: 'service_unavailable' });
  await worker.stop();
});

test('503 service_unavailable: the key of the run cannot be read, as while the database is away', async () => {
  const { forgetAllPayloadKeys } = await import('../../src/adapters/payloadKeys.js');
  const { body } = await subscribe(app, await createShop(app));
  await app.pool.query('ALTER TABLE payload_keys RENAME TO payload_keys_away');
  forgetAllPayloadKeys();
  const workflowId = subscriptionWorkflowId(body.subscription_id);
  const refusal: unknown = await temporal
    .queryWorkflow(workflowId, 'isKnown', 'cancel:1')
    .catch((error: unknown) => error);
  await app.pool.query('ALTER TABLE payload_keys_away RENAME TO payload_keys');
  expect(refusal).toMatchObject({ code: 'service_unavailable' });
});

test('a run that never was is told apart from one that is silent', async () => {
  const workflowId = subscriptionWorkflowId(randomUUID());
  expect(await temporal.updateWorkflow(workflowId, update, rowHasEnded)).toEqual({ ended: true });
});
