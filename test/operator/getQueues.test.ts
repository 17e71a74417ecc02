import { type z } from 'zod';
import { type QueuesResponse } from '../../src/operator/operator.schemas';
import { call } from '../support/client';
import { openOperator, type Operator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let operator: Operator;

beforeAll(async () => {
  app = await startApp();
  operator = await openOperator(app);
});
afterAll(() => app.stop());

const queues = async () =>
  (await call<z.output<typeof QueuesResponse>>(app, 'GET', '/operator/queues', undefined, operator)).body;

test('200: what waits and what was given up is counted', async () => {
  const before = await queues();
  await app.pool.query(
    `INSERT INTO outbox (workflow, workflow_id, message_id, input, available_at, parked_at)
     VALUES ('subscription', 'a', 'a', '{}', now() + interval '1 hour', NULL), ('subscription', 'b', 'b', '{}', now(), now())`,
  );
  const after = await queues();
  expect(after.outbox.waiting).toBe(before.outbox.waiting + 1);
  expect(after.outbox.parked).toBe(before.outbox.parked + 1);
  expect(after.runs.map(({ workflow }) => workflow)).toContain('subscription');
  expect(after.webhooks).toMatchObject({ waiting: 0, disabled_endpoints: 0 });
});
