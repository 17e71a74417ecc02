import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createSchedule, describeSchedule, scheduleIdOf } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';
import { connectTemporal, type TemporalClient } from '../../support/temporalClient';
import { until } from '../../support/until';

let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

test('200: the workflow server starts it no more', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant)).body;
  const scheduleId = await scheduleIdOf(app, id);
  await until(() => describeSchedule(temporal.client, scheduleId));
  const path = `/reporting/schedules/${id}`;
  expect((await call(app, 'DELETE', path, undefined, merchant)).status).toBe(200);
  await until(async () => (await describeSchedule(temporal.client, scheduleId)) === undefined);
  expect((await call(app, 'GET', path, undefined, merchant)).status).toBe(404);
});

test('404 report_schedule_not_found: another merchant’s, which stays', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const { id } = (await createSchedule(app, other)).body;
  const path = `/reporting/schedules/${id}`;
  expect(await call(app, 'DELETE', path, undefined, merchant)).toMatchObject({
    status: 404,
    body: { error: 'report_schedule_not_found' },
  });
  expect((await call(app, 'GET', path, undefined, other)).status).toBe(200);
});
