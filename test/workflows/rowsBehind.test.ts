import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { checkRowSignal, paymentAnsweredSignal } from '../../workflows/messages';
import { takeBackup } from '../support/backups';
import { charged } from '../support/debits';
import { cards, createShop, reaches, subscribe } from '../support/factories';
import { chargesOf, takenFor } from '../support/ledger';
import { createPayShop, payWithAuthentication } from '../support/payments';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { storeChange } from '../support/storedChanges';
import { until } from '../support/until';

/** PostgreSQL is older than Temporal, and `npm run restored` was not run. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const handleOf = (id: string) => scenarios.temporal.client.workflow.getHandle(`subscription-${id}`);

async function alarmsOf(id: string): Promise<{ run: number; row: number | null }[]> {
  const { rows } = await scenarios.app.pool.query<{ run: number; row: number | null }>(
    'SELECT run_version AS run, row_version AS row FROM rows_behind WHERE workflow_id = $1',
    [`subscription-${id}`],
  );
  return rows;
}

/** A run that looks its charge up late finds the older database by itself, and may have ended. */
async function wake(run: WorkflowHandle): Promise<void> {
  const hasEnded = (error: unknown) => expect(error).toBeInstanceOf(WorkflowNotFoundError);
  await run.signal(paymentAnsweredSignal).catch(hasEnded);
}

/** The run compares itself with its row. It raises the alarm before it ends, and a new run reads the row. */
async function startsOver(id: string): Promise<void> {
  const run = handleOf(id);
  const { runId } = await run.describe();
  await run.signal(checkRowSignal);
  await until(async () => (await run.describe()).runId !== runId);
  // A run does not answer before its first task.
  const hasRead = ({ snapshot }: { snapshot?: object }) => snapshot !== undefined;
  await until(() => run.query<{ snapshot?: object }>('snapshot').then(hasRead, () => false));
}

const openCharges = async (scenario: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, scenario.id)).map(({ cycle }) => cycle);

test('a row behind its run: the run starts again from the row, with an alarm, and charges what the row says', async () => {
  const scenario = await scenarios.subscribe();
  const other = await scenarios.subscribe();
  const backup = await takeBackup(scenarios.app.pool);
  const shop = await createShop(scenarios.app);
  const { body } = await subscribe(scenarios.app, shop);
  const lost = body.subscription_id;
  await reaches(scenarios.app, shop.consumer, lost, 'active');
  await scenario.advanceDays(31);
  await scenario.advanceDays(31);
  expect((await other.request('pause')).status).toBe(200);
  const before = await handleOf(scenario.id).describe();
  await backup.putBack();
  expect(await openCharges(scenario)).toEqual([1]);

  // The step is due only by the memory of the run.
  await scenario.advanceDays(93);
  expect(await alarmsOf(scenario.id)).toEqual([{ run: 5, row: 1 }]);
  expect((await handleOf(scenario.id).describe()).runId).not.toBe(before.runId);
  expect(await openCharges(scenario)).toEqual([1, 2, 3, 4]);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(4);

  // Nothing is due, and a check is requested.
  await startsOver(other.id);
  expect(await alarmsOf(other.id)).toHaveLength(1);
  expect((await other.request('pause')).status).toBe(200);

  // The older database does not have this row.
  await handleOf(lost).signal(checkRowSignal);
  expect(await handleOf(lost).result()).toEqual({ state: 'gone' });
  expect(await alarmsOf(lost)).toContainEqual({ run: 1, row: null });
  const marks = await scenarios.app.pool.query('SELECT found_by FROM restorations');
  expect(marks.rows).toEqual([{ found_by: 'run' }]);
});

test('a purchase that waits for its payer, whose row is lost: its run ends', async () => {
  const { app } = scenarios;
  const shop = await createShop(app);
  const backup = await takeBackup(app.pool);
  const { body } = await subscribe(app, shop, cards.needsAuthentication);
  const lost = body.subscription_id;
  await charged(app, lost, 'requires_action');
  await backup.putBack();
  await wake(handleOf(lost));
  expect(await handleOf(lost).result()).toEqual({ state: 'gone' });
  expect(await alarmsOf(lost)).toContainEqual({ run: 0, row: null });
});

test('a one-time payment that waits for its payer, whose row is lost: its run ends, and is not tried again', async () => {
  const { app } = scenarios;
  const shop = await createPayShop(app);
  const backup = await takeBackup(app.pool);
  const { id, answer } = await payWithAuthentication(app, shop);
  const run = scenarios.temporal.client.workflow.getHandle(`payment-${id}`);
  await backup.putBack();
  expect((await answer('approved')).status).toBe(200);
  await wake(run);
  await expect(run.result()).rejects.toHaveProperty('cause.message', 'Payment not found');
});

test('200: a change that the older row allows is made, although the state of its run forbids it', async () => {
  const scenario = await scenarios.subscribe();
  const backup = await takeBackup(scenarios.app.pool);
  expect((await scenario.send('DELETE', `/subscriptions/${scenario.id}`)).status).toBe(200);
  await backup.putBack();
  expect((await scenario.request('pause')).status).toBe(200);
  expect(await alarmsOf(scenario.id)).toHaveLength(1);
});

test('409: a request to a run that starts again is refused, and messages of the outbox take effect', async () => {
  const scenario = await scenarios.subscribe();
  const backup = await takeBackup(scenarios.app.pool);
  await scenario.request('pause');
  await backup.putBack();
  await storeChange(scenario.id, { kind: 'cancel', at: 'period_end', reason: '' }, Date.now());
  await until(async () => (await scenario.row()).cancel_at_period_end);
  expect(await alarmsOf(scenario.id)).toHaveLength(1);
  expect((await scenario.request('resume')).status).toBe(200);

  await backup.putBack();
  expect(await scenario.request('pause')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  expect((await scenario.request('pause')).status).toBe(200);
});
