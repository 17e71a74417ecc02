import { subscriptionWorkflowId } from '../../workflows/messages';
import { examplesOf } from '../support/examples';
import { createMerchant } from '../support/factories';
import { tablesChangedBy } from '../support/fingerprint';
import { runsRest } from '../support/restingRuns';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal } from '../support/temporalClient';
import { until } from '../support/until';
import { createWorld } from '../support/world';

/** The fingerprint that proves that a request changed nothing. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const addVisit = (merchantId: number) =>
  app.pool.query(
    `INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
     VALUES ($1, 'visits', '2026-01-31', '{all}', '{""}', '', 1, 0)`,
    [merchantId],
  );

test('a figure that grows is a change; that it is summed up is none', async () => {
  const { id } = await createMerchant(app);
  await addVisit(id);
  expect(await tablesChangedBy(app.pool, () => addVisit(id))).toEqual(['figures']);
  const isFolded = async () => {
    await app.pool.query('SELECT fold_figures(1000)');
    const { rows } = await app.pool.query<{ count: number }>('SELECT count FROM daily_figures WHERE merchant_id = $1', [
      id,
    ]);
    return rows[0]?.count === 2;
  };
  expect(await tablesChangedBy(app.pool, () => until(isFolded))).toEqual([]);
});

test('a row that changes is a change of its table', async () => {
  const { id } = await createMerchant(app);
  const rename = () => app.pool.query(`UPDATE accounts SET email = email || 'x' WHERE id = $1`, [id]);
  expect(await tablesChangedBy(app.pool, rename)).toEqual(['accounts']);
});

test('a deleted row, a replaced one and one that is written late are changes; what is rolled back is none', async () => {
  const { id } = await createMerchant(app);
  await addVisit(id);
  const late = await app.pool.connect();
  await late.query('BEGIN');
  await late.query(`UPDATE accounts SET email = email || 'x' WHERE id = $1`, [id]);
  expect(await tablesChangedBy(app.pool, () => late.query('COMMIT'))).toEqual(['accounts']);
  const remove = () => app.pool.query('DELETE FROM figure_deltas WHERE merchant_id = $1', [id]);
  expect(await tablesChangedBy(app.pool, remove)).toEqual(['figures']);
  await addVisit(id);
  const replace = async () => {
    await remove();
    await addVisit(id);
    await app.pool.query('UPDATE figure_deltas SET count = 2 WHERE merchant_id = $1', [id]);
  };
  expect(await tablesChangedBy(app.pool, replace)).toEqual(['figures']);
  await late.query('BEGIN');
  await late.query('DELETE FROM figure_deltas WHERE merchant_id = $1', [id]);
  await late.query(`UPDATE accounts SET email = email || 'x' WHERE id = $1`, [id]);
  expect(await tablesChangedBy(app.pool, () => late.query('ROLLBACK'))).toEqual([]);
  late.release();
});

test('the last use of a session is no change; its end is one', async () => {
  const { id } = await createMerchant(app);
  const set = (what: string) => () => app.pool.query(`UPDATE sessions SET ${what} WHERE account_id = $1`, [id]);
  expect(await tablesChangedBy(app.pool, set(`last_used_at = now() + interval '1 hour'`))).toEqual([]);
  expect(await tablesChangedBy(app.pool, set('revoked_at = now()'))).toEqual(['sessions']);
});

test('a run that has just continued as a new one takes its first step before it counts as resting', async () => {
  const world = await createWorld(app);
  const { params } = await examplesOf('retryPayment')[0].request(world, world.consumer);
  await runsRest(app.pool);
  const temporal = await connectTemporal();
  const run = temporal.client.workflow.getHandle(subscriptionWorkflowId(String(params?.['id'])));
  const { historyLength, raw } = await run.describe();
  const [started] = (await run.fetchHistory()).events ?? [];
  await temporal.close();
  expect(started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toBeTruthy();
  expect([historyLength > 1, raw.pendingWorkflowTask]).toEqual([true, null]);
});
