import { createMerchant } from '../../support/factories';
import { createSchedule } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';
import type * as Model from '../../../src/reports/schedules.model';

/** When a schedule's next report is due. */

let app: TestApp;
let setNextDue: typeof Model.setNextDue;
let id: number;

beforeAll(async () => {
  app = await startApp();
  ({ setNextDue } = await import('../../../src/reports/schedules.model.js'));
  id = (await createSchedule(app, await createMerchant(app))).body.id;
});
afterAll(() => app.stop());

async function nextDue(): Promise<string | undefined> {
  const text = 'SELECT next_due_at AS at FROM report_schedules WHERE id = $1';
  return (await app.pool.query<{ at: Date }>(text, [id])).rows[0]?.at.toISOString();
}

test.each([
  ['daily', 'Etc/UTC', 6, '2026-11-22T05:59:59.999Z', '2026-11-22T06:00:00.000Z'],
  ['daily', 'Etc/UTC', 6, '2026-11-22T06:00:00.000Z', '2026-11-23T06:00:00.000Z'],
  ['daily', 'Asia/Kathmandu', 6, '2026-11-22T00:14:59.000Z', '2026-11-22T00:15:00.000Z'],
  ['daily', 'Pacific/Kiritimati', 14, '2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
  ['daily', 'America/New_York', 6, '2026-03-07T12:00:00.000Z', '2026-03-08T10:00:00.000Z'],
  ['daily', 'America/New_York', 6, '2026-10-31T12:00:00.000Z', '2026-11-01T11:00:00.000Z'],
  ['weekly', 'Etc/UTC', 6, '2026-11-22T23:00:00.000Z', '2026-11-23T06:00:00.000Z'],
  ['weekly', 'Etc/UTC', 6, '2026-11-23T06:00:00.000Z', '2026-11-30T06:00:00.000Z'],
  ['monthly', 'Etc/UTC', 6, '2028-01-31T12:00:00.000Z', '2028-02-01T06:00:00.000Z'],
  ['monthly', 'Etc/UTC', 6, '2026-12-01T06:00:00.000Z', '2027-01-01T06:00:00.000Z'],
  ['monthly', 'Etc/UTC', 6, '2026-12-01T05:00:00.000Z', '2026-12-01T06:00:00.000Z'],
] as const)('%s in %s at %i, after %s: at %s', async (cadence, timeZone, hour, after, next) => {
  await setNextDue({ id, cadence, timeZone, hour }, { after: new Date(after) });
  expect(await nextDue()).toBe(next);
});

test('a sent report moves the due time forward, and never back', async () => {
  const schedule = { id, cadence: 'daily', timeZone: 'Etc/UTC', hour: 6 } as const;
  await setNextDue(schedule, { after: new Date('2026-11-22T00:00:00Z') });
  await setNextDue(schedule, { after: new Date('2026-11-22T05:00:00Z'), isDone: true });
  expect(await nextDue()).toBe('2026-11-22T06:00:00.000Z');
  await setNextDue(schedule, { after: new Date('2026-11-22T06:00:00Z'), isDone: true });
  expect(await nextDue()).toBe('2026-11-23T06:00:00.000Z');
  await setNextDue(schedule, { after: new Date('2026-11-21T06:00:00Z'), isDone: true });
  expect(await nextDue()).toBe('2026-11-23T06:00:00.000Z');
});

test('a new schedule is due at the next occurrence of its hour', async () => {
  const { body } = await createSchedule(app, await createMerchant(app), { time_zone: 'Europe/Berlin' });
  const text = `SELECT next_due_at > now() AND next_due_at <= now() + interval '1 day'
      AND extract(hour FROM next_due_at AT TIME ZONE 'Europe/Berlin') = $2 AS is_next
    FROM report_schedules WHERE id = $1`;
  expect((await app.pool.query(text, [body.id, body.hour])).rows).toEqual([{ is_next: true }]);
});
