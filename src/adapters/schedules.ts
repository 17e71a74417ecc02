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
  const what = optionsOf(scheduleId, order.input, labels);
  const action = { ...what, type: 'startWorkflow', workflowType: 'scheduledReport' } as const;
  const spec = specOf(order.times);
  const policies = { overlap: 'BUFFER_ALL', catchupWindow: '30 days' } as const;
  try {
    await reach(() => client.schedule.create({ scheduleId, action, spec, policies }));
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = client.schedule.getHandle(scheduleId);
    await reach(() => handle.update(({ state }) => ({ action, spec, policies, state })));
  }
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
