import { activityInfo } from '@temporalio/activity';
import {
  type ChargedPeriod,
  type ChargeInput,
  type ChargeOutcome,
  type CycleCharge,
  type NextPeriodInput,
} from '../../workflows/messages';
import { type SubscriptionScenario, type Scenarios } from './scenarios';
import { installQuietRuntime } from './quietRuntime';
import { workerSettings } from './workerSettings';

/** Loses the run of a subscription, as if Temporal's store were lost, and starts another one from the row. */
export async function loseRun(
  { app, temporal }: Pick<Scenarios, 'app' | 'temporal'>,
  { id }: Pick<SubscriptionScenario, 'id'>,
): Promise<void> {
  await temporal.client.workflow.getHandle(`subscription-${id}`).terminate();
  await beginAgain({ app, temporal }, id);
}

/** Starts a run from the row, unless a message of the outbox has started one already. */
export async function beginAgain(
  { app, temporal }: Pick<Scenarios, 'app' | 'temporal'>,
  id: string,
  taskQueue = process.env['TEMPORAL_TASK_QUEUE'] ?? '',
): Promise<void> {
  const text = 'SELECT id::int FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [id]);
  await temporal.client.workflow.start('subscription', {
    workflowId: `subscription-${id}`,
    taskQueue,
    args: [{ subscriptionId: rows[0]?.id }],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}

/**
 * A worker that stops at the charge of a cycle, or after a look-up has found the cycle paid. `isReached`: whether it has
 * stopped there.
 */
export async function startStoppingAt(cycle: number, when: 'before' | 'after' | 'found paid') {
  const { createActivities } = await import('../../activities/index.js');
  const { beginPeriod } = await import('../../src/subscriptions/lifecycle/periods.js');
  const { startWorker } = await import('../../workers/worker.js');
  installQuietRuntime();
  const activities = createActivities();
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  let isReached = false;
  const stop = async () => {
    isReached = true;
    await held;
  };
  const stopping = async (input: ChargeInput, charge: () => Promise<ChargeOutcome>): Promise<ChargeOutcome> => {
    const isThere = 'cycle' in input && input.cycle === cycle && when !== 'found paid';
    const outcome = isThere && when === 'before' ? undefined : await charge();
    if (isThere) await stop();
    return outcome ?? { outcome: 'not_sent' };
  };
  const stoppingActivities = {
    ...activities,
    chargeCycle: (input: ChargeInput) => stopping(input, () => activities.chargeCycle(input)),
    chargeFirstPeriod: (input: CycleCharge) => stopping(input, () => activities.chargeFirstPeriod(input)),
    chargeNextPeriod: async ({ dueAtMs, ...step }: NextPeriodInput): Promise<ChargedPeriod> => {
      const snapshot = await beginPeriod(step, activityInfo().workflowExecution ?? { runId: '' });
      const charge = { subscriptionId: step.subscriptionId, cycle: snapshot.cycle, attempt: snapshot.attempt };
      const outcome = await stopping(charge, async () => {
        const charged = await activities.chargeNextPeriod({ ...step, dueAtMs });
        return 'outcome' in charged ? charged.outcome : { outcome: 'not_sent' };
      });
      return { snapshot, outcome };
    },
    lookUpCharge: async (input: ChargeInput) => {
      const outcome = await activities.lookUpCharge(input);
      if (when === 'found paid' && outcome.outcome === 'paid') await stop();
      return outcome;
    },
  };
  const worker = await startWorker({ ...workerSettings(), activities: stoppingActivities });
  return {
    isReached: () => isReached,
    stop: async () => {
      letGo();
      await worker.stop();
    },
  };
}
