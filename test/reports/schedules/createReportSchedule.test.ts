import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { auditOf, createFollower } from '../../support/followers';
import { createSchedule, daily, describeSchedule, scheduleIdOf } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';
import { connectTemporal, type TemporalClient } from '../../support/temporalClient';
import { until } from '../../support/until';

let app: TestApp;
let temporal: TemporalClient;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

test('201: a schedule that the workflow server keeps, at six o’clock by the clocks of its zone', async () => {
  const fields = { cadence: 'weekly', time_zone: 'europe/berlin', language: 'ar' };
  const { status, body } = await createSchedule(app, merchant, fields);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { ...daily, ...fields, time_zone: 'Europe/Berlin', hour: 6 },
  });
  const scheduleId = await scheduleIdOf(app, body.id);
  const { spec } = await until(() => describeSchedule(temporal.client, scheduleId));
  expect(spec.timezone).toBe('Europe/Berlin');
  expect(spec.calendars).toMatchObject([{ hour: [{ start: 6 }], dayOfWeek: [{ start: 'MONDAY' }] }]);
  expect((await auditOf(app, merchant))[0]).toMatchObject({ action: 'report_schedule.create' });
});

test.each([
  ['Asia/Tokyo', 9],
  ['America/New_York', 6],
  ['Pacific/Auckland', 13],
  ['Asia/Kathmandu', 6],
])('201: in %s it is mailed at %i o’clock, when the day in UTC is over', async (time_zone, hour) => {
  expect((await createSchedule(app, merchant, { time_zone })).body.hour).toBe(hour);
});

test('201: nobody’s address is in the workflow server, or readable in the database', async () => {
  const { body } = await createSchedule(app, merchant, { recipients: ['quiet-reader@example.org'] });
  const scheduleId = await scheduleIdOf(app, body.id);
  const described = await until(() => describeSchedule(temporal.client, scheduleId));
  expect(JSON.stringify(described.action)).not.toContain('quiet-reader');
  const { rows } = await app.pool.query<{ stored: string }>(
    `SELECT s::text || encode(sealed_recipients, 'escape') AS stored FROM report_schedules s WHERE id = $1`,
    [body.id],
  );
  expect(rows[0]?.stored).not.toContain('quiet-reader');
});

test('403 forbidden: who may change settings, but not read reports, has none mailed', async () => {
  const follower = await createFollower(app, merchant, ['settings:write']);
  expect((await createSchedule(app, follower)).status).toBe(403);
  const reader = await createFollower(app, merchant, ['settings:write', 'reports:read']);
  expect((await createSchedule(app, reader)).status).toBe(201);
});

test('409 report_schedule_limit_reached: the twenty-first, also of many at once', async () => {
  const answers = await Promise.all(Array.from({ length: 21 }, () => createSchedule(app, merchant)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 20 }, () => 201), 409]);
});

test.each([
  ['time_zone', 'Berlin/Europe'],
  ['time_zone', '+01:00'],
  ['recipients', ['desk@example.org', 'DESK@example.org']],
  ['recipients', ['nobody']],
  ['cadence', 'hourly'],
  ['report', 'secrets'],
  ['language', 'xx'],
])('422 invalid_input: %s %j', async (name, value) => {
  const { status, body } = await call<{ errors: object }>(
    app,
    'POST',
    '/reporting/schedules',
    { ...daily, [name]: value },
    merchant,
  );
  expect([status, Object.keys(body.errors)[0]?.split('.')[0]]).toEqual([422, name]);
});
