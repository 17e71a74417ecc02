import { randomUUID } from 'node:crypto';
import { startProgram } from '../support/childProcess';
import { reportSteps, type CrashPoint } from '../support/crashPoints';
import { createMerchant } from '../support/factories';
import { mailsTo } from '../support/mailbox';
import { installQuietRuntime } from '../support/quietRuntime';
import { agreeToReports, createSchedule, describeSchedule, scheduleIdOf } from '../support/reportSchedules';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import { workerSettings } from '../support/workerSettings';

/** The worker is killed around the step that mails a report, and another one continues. The report is mailed once. */

let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
  installQuietRuntime();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

const points = reportSteps.flatMap((step): CrashPoint[] => [`${step}:before`, `${step}:after`]);

test.each(points)('killed at %s, each reader is written to once', async (point) => {
  const { config } = await import('../../src/config.js');
  const taskQueue = `crash-${randomUUID()}`;
  config.TEMPORAL_TASK_QUEUE = taskQueue;
  const workflowBundle = process.env['WORKFLOW_BUNDLE'] ?? '';
  const child = await startProgram('crashingWorker', {
    TEMPORAL_TASK_QUEUE: taskQueue,
    WORKFLOW_BUNDLE: workflowBundle,
    DATABASE_POOL: '2',
    CRASH_AT: point,
  });
  const merchant = await createMerchant(app);
  const scheduleId = await scheduleIdOf(app, (await createSchedule(app, merchant)).body.id);
  await agreeToReports(app, merchant, ['desk@example.org']);
  await until(() => describeSchedule(temporal.client, scheduleId));
  const handle = temporal.client.schedule.getHandle(scheduleId);
  await handle.trigger();
  expect(await child.ended).toBe('SIGKILL');
  const { startWorker } = await import('../../workers/worker.js');
  const { createActivities } = await import('../../activities/index.js');
  const activities = createActivities();
  const worker = await startWorker({ ...workerSettings(), taskQueue, activities });
  const workflowId = await until(
    async () => (await handle.describe()).info.recentActions[0]?.action.workflow.workflowId,
  );
  await temporal.client.workflow.getHandle(workflowId).result();
  await worker.stop();
  const mails = await mailsTo(app, merchant, 'desk@example.org');
  expect(mails.map(({ template }) => template).sort()).toEqual(['report', 'report_confirmation']);
});
