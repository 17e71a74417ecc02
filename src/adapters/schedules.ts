import { ScheduleAlreadyRunning, ScheduleNotFoundError, type ScheduleSpec } from '@temporalio/client';
import { config } from '../config';
import { type ScheduledWorkflow, type ScheduleOrder, type ScheduleTimes } from '../../workflows/messages';
import { optionsOf, type RunLabels } from './temporal';
import { begin, client, reach } from './temporalConnection';

/** Temporal Schedules: the Temporal server starts runs at the times of a schedule. */

/** Creates a schedule that starts a workflow every hour unless its last run is open. An existing schedule is kept. */
export async function ensureSchedule(workflowType: ScheduledWorkflow): Promise<string> {
  const taskQueue = config.TEMPORAL_TASK_QUEUE;
  const scheduleId = `${workflowType}-${taskQueue}`;
  const action = { type: 'startWorkflow', workflowType, workflowId: scheduleId, taskQueue, args: [] } as const;
  try {
    await begin(() =>
      client.schedule.create({
        scheduleId,
        action,
        spec: { intervals: [{ every: '1 hour' }] },
        policies: { overlap: 'SKIP', catchupWindow: '1 hour' },
        // After the server has lost its data, the first run must not wait for an hour.
        state: { triggerImmediately: true },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  return scheduleId;
}

/**
 * Creates or changes a schedule. The server starts the runs that it missed while it was not available, each with its
 * original time.
 */
export async function keepSchedule(scheduleId: string, order: ScheduleOrder, labels: RunLabels): Promise<void> {
  if (await restoreSchedule(scheduleId, order, labels)) return;
  const options = scheduleOf(scheduleId, order, labels);
  const handle = client.schedule.getHandle(scheduleId);
  await begin(() => handle.update(({ state }) => ({ ...options, state })));
}

/** Creates a schedule and returns true. An existing schedule stays as it is: false. */
export async function restoreSchedule(scheduleId: string, order: ScheduleOrder, labels: RunLabels): Promise<boolean> {
  const options = scheduleOf(scheduleId, order, labels);
  try {
    await begin(() => client.schedule.create({ scheduleId, ...options }));
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

function scheduleOf(scheduleId: string, { input, times }: ScheduleOrder, labels: RunLabels) {
  const what = optionsOf(scheduleId, input, labels);
  const action = { ...what, type: 'startWorkflow', workflowType: 'scheduledReport' } as const;
  return { action, spec: specOf(times), policies: { overlap: 'BUFFER_ALL', catchupWindow: '30 days' } } as const;
}

/** Deletes a schedule. Open runs continue. A schedule that does not exist counts as deleted. */
export async function endSchedule(scheduleId: string): Promise<void> {
  try {
    await reach(() => client.schedule.getHandle(scheduleId).delete());
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

function specOf({ hour, timeZone, on }: ScheduleTimes): ScheduleSpec {
  return { calendars: [{ hour, minute: 0, second: 0, ...on }], timezone: timeZone };
}
