import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { createSchedule, describeSchedule, type Schedule, scheduleIdOf } from '../../support/reportSchedules';
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

const update = (id: number, fields: object, who = merchant) =>
  call(app, 'PATCH', `/reporting/schedules/${id}`, { ...fields }, who);

test('200: the workflow server keeps the new times, and what is absent stays', async () => {
  const made = (await createSchedule(app, merchant)).body;
  const changes = { cadence: 'monthly', time_zone: 'Asia/Tokyo', recipients: ['a@example.org', 'b@example.org'] };
  const { status, body } = await update(made.id, changes);
  const updated_at = expect.any(Number) as number;
  const recipient_states = changes.recipients.map((address) => ({ address, state: 'awaiting_confirmation' }));
  const expected = { ...made, ...changes, hour: 9, recipient_states, updated_at };
  expect({ status, body }).toMatchObject({ status: 200, body: expected });
  const scheduleId = await scheduleIdOf(app, made.id);
  await until(async () => {
    const { spec } = (await describeSchedule(temporal.client, scheduleId)) ?? {};
    return spec?.timezone === 'Asia/Tokyo' && spec.calendars?.[0]?.dayOfMonth?.[0]?.start === 1;
  });
});

test('403 forbidden: who may not read reports sends them nowhere else', async () => {
  const { id } = (await createSchedule(app, merchant)).body;
  const follower = await createFollower(app, merchant, ['settings:write']);
  expect((await update(id, { recipients: ['me@example.org'] }, follower)).status).toBe(403);
});

test('404 report_schedule_not_found: another merchant’s', async () => {
  const { id } = (await createSchedule(app, await createMerchant(app))).body;
  expect(await update(id, { cadence: 'weekly' })).toMatchObject({
    status: 404,
    body: { error: 'report_schedule_not_found' },
  });
});

test('409 report_recipient_limit_reached: the twenty-first new recipient in 24 hours, and nothing changes', async () => {
  const many = (name: string) => Array.from({ length: 10 }, (_, n) => `${name}${n}@example.com`);
  await createSchedule(app, merchant, { recipients: many('a') });
  const { id } = (await createSchedule(app, merchant, { recipients: many('b') })).body;
  expect(await update(id, { recipients: [...many('b').slice(1), 'c@example.com'] })).toMatchObject({
    status: 409,
    body: { error: 'report_recipient_limit_reached' },
  });
  const { body } = await call<Schedule>(app, 'GET', `/reporting/schedules/${id}`, undefined, merchant);
  expect(body.recipients).toEqual(many('b'));
  expect((await update(id, { recipients: many('b').slice(1), cadence: 'weekly' })).status).toBe(200);
});
