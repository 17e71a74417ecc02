import { ScheduleAlreadyRunning, ScheduleNotFoundError, type ScheduleSpec } from '@temporalio/client';
import { config } from '../config';
import { type ScheduledWorkflow, type ScheduleOrder, type ScheduleTimes } from '../../workflows/messages';
import { client, optionsOf, reach, type RunLabels } from './temporal';

/** Temporal Schedules: the workflow server itself starts runs at times that it was told. */

/** Starts a workflow every hour, as long as the last one is over; a schedule that is there already stays as it is. */
export async function ensureSchedule(workflowType: ScheduledWorkflow): Promise<string> {
  const taskQueue = config.TEMPORAL_TASK_QUEUE;
  const scheduleId = `${workflowType}-${taskQueue}`;
  const action = { type: 'startWorkflow', workflowType, workflowId: scheduleId, taskQueue, args: [] } as const;
  try {
    await reach(() =>
      client.schedule.create({
        scheduleId,
        action,
        spec: { intervals: [{ every: '1 hour' }] },
        policies: { overlap: 'SKIP', catchupWindow: '1 hour' },
        // A server that has lost what it knew gets it back from the first round.
        state: { triggerImmediately: true },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  return scheduleId;
}

/**
 * Has a schedule as the order says, whatever there is under its id. What it could not start while the server was away is
 * started when it is back, each run with the time that it was meant for.
 */
export async function keepSchedule(scheduleId: string, order: ScheduleOrder, labels: RunLabels): Promise<void> {
  if (await restoreSchedule(scheduleId, order, labels)) return;
  const options = scheduleOf(scheduleId, order, labels);
  const handle = client.schedule.getHandle(scheduleId);
  await reach(() => handle.update(({ state }) => ({ ...options, state })));
}

/** Has a schedule as the order says where there is none under its id: true. One that is there stays as it is. */
export async function restoreSchedule(scheduleId: string, order: ScheduleOrder, labels: RunLabels): Promise<boolean> {
  const options = scheduleOf(scheduleId, order, labels);
  try {
    await reach(() => client.schedule.create({ scheduleId, ...options }));
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

/** Nothing is started any more; what runs goes on. One that is not there has ended. */
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
