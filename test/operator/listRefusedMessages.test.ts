import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import { insertRefused, insertWaiting, listRefused, openOperator, type Operator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let operator: Operator;

beforeAll(async () => {
  app = await startApp({ TEMPORAL_UI_URL: 'http://localhost:8233' });
  operator = await openOperator(app);
});
afterAll(() => app.stop());

test('200: the oldest first, with the reason and the run, without messages that are on their way', async () => {
  expect(await listRefused(app, operator)).toMatchObject({ total: 0, collection: [] });
  const workflowId = `subscription-${randomUUID()}`;
  const first = await insertRefused(app, workflowId);
  const second = await insertRefused(app);
  await insertWaiting(app);
  const { total, collection } = await listRefused(app, operator);
  expect([total, collection.map(({ id }) => id)]).toEqual([2, [first, second]]);
  expect(collection[0]).toMatchObject({
    workflow: 'subscription',
    workflow_id: workflowId,
    workflow_url: `http://localhost:8233/namespaces/default/workflows/${workflowId}`,
    signal: 'wake',
    attempts: 10,
    error: 'Namespace paywall is not found',
  });
  const { body } = await call<{ collection: { id: number }[] }>(
    app,
    'GET',
    '/operator/messages?page=2&limit=1',
    undefined,
    operator,
  );
  expect(body.collection.map(({ id }) => id)).toEqual([second]);
});
