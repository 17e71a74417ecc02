import { actionsAbout, decideAbout, insertRefused, openOperator, type Operator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let operator: Operator;

beforeAll(async () => {
  app = await startApp();
  operator = await openOperator(app);
});
afterAll(() => app.stop());

const discard = (id: number) => decideAbout(app, operator, { id, decision: 'discard' });
const isStored = async (id: number) =>
  (await app.pool.query('SELECT FROM outbox WHERE id = $1', [id])).rows.length === 1;

test('200: the message is deleted, others stay, and the audit log has the decision', async () => {
  const [id, other] = [await insertRefused(app), await insertRefused(app)];
  expect((await discard(id)).status).toBe(200);
  expect([await isStored(id), await isStored(other)]).toEqual([false, true]);
  expect(await actionsAbout(app, id)).toEqual(['message.discard']);
});

test('404 message_not_found: a message that waits for its time, and one that never was', async () => {
  const { rows } = await app.pool.query<{ id: number }>(
    `INSERT INTO outbox (workflow, workflow_id, message_id, input, available_at)
     VALUES ('subscription', 'waits', 'waits', '{}', now() + interval '1 hour') RETURNING id::int`,
  );
  const waiting = rows[0]?.id ?? 0;
  for (const id of [waiting, 2_000_000_000]) {
    const { status, body } = await discard(id);
    expect([status, body.error]).toEqual([404, 'message_not_found']);
  }
  expect(await isStored(waiting)).toBe(true);
});
