import { createMerchant } from '../support/factories';
import { agreeToReports, createSchedule, daily, scheduleIdOf, triggerSchedule } from '../support/reportSchedules';
import { type Scenarios, startScenarios } from '../support/scenarios';
import { type TestApp } from '../support/startApp';
import { type TemporalClient } from '../support/temporalClient';
import { writeHistory } from './histories';

/** `npm run replay:record` writes the histories of scheduled reports anew; `replay.test.ts` replays them. */

let scenarios: Scenarios;
let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  scenarios = await startScenarios();
  ({ app, temporal } = scenarios);
});
afterAll(() => scenarios.stop());

test('a report without a reader, one that is mailed, one that was mailed before, and one whose schedule is gone', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant)).body;
  const scheduleId = await scheduleIdOf(app, id);
  const record = async (path: 'report-unread' | 'report-mailed' | 'report-repeated' | 'report-ended') => {
    const { runId } = await triggerSchedule(temporal.client, scheduleId);
    writeHistory(path, await temporal.historyOf(runId));
  };
  await record('report-unread');
  await agreeToReports(app, merchant, daily.recipients);
  await record('report-mailed');
  await record('report-repeated');
  await app.pool.query('DELETE FROM report_schedules WHERE id = $1', [id]);
  await record('report-ended');
});
