import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { waitForLocks } from '../../support/locks';
import { createSchedule, type Schedule } from '../../support/reportSchedules';
import { ageProof, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const recipients = ['desk@example.org', 'news@example.org'];

/** A schedule of a merchant whose last code is older than ten minutes. */
async function oldSession(): Promise<Schedule> {
  const { body } = await createSchedule(app, merchant, { report: 'mrr', recipients });
  await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  return body;
}

const update = (id: number, fields: Record<string, unknown>) =>
  call<Schedule>(app, 'PATCH', `/reporting/schedules/${id}`, fields, merchant);
const refused = { status: 403, body: { error: 'recent_factor_required' } };

test.each([
  ['another time', { cadence: 'monthly', time_zone: 'Asia/Tokyo', language: 'ar' }],
  ['the same report and recipients', { report: 'mrr', recipients, cadence: 'weekly' }],
  ['the same recipients in another order', { recipients: [...recipients].reverse() }],
  ['nothing', {}],
])('200: %s, without a recent code', async (_name, fields) => {
  const { id } = await oldSession();
  expect(await update(id, fields)).toMatchObject({ status: 200, body: fields });
});

test.each([
  ['another report', { report: 'customers' }],
  ['one more recipient', { recipients: [...recipients, 'new@example.org'] }],
  ['one recipient less', { recipients: ['news@example.org'] }],
  ['another recipient', { recipients: ['desk@example.org', 'new@example.org'] }],
  ['the same recipients in other letters', { recipients: ['DESK@example.org', 'news@example.org'] }],
])('403 recent_factor_required: %s, and nothing changes', async (_name, fields) => {
  const before = await oldSession();
  expect(await update(before.id, { ...fields, cadence: 'weekly' })).toMatchObject(refused);
  expect(await call(app, 'GET', `/reporting/schedules/${before.id}`, undefined, merchant)).toMatchObject({
    body: before,
  });
});

test('403 recent_factor_required: the stored report counts, not the one that an earlier request read', async () => {
  const { id } = await oldSession();
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query(`UPDATE report_schedules SET report = 'summary' WHERE id = $1`, [id]);
  const crossing = update(id, { report: 'mrr' });
  await waitForLocks(app.pool);
  await holder.query('COMMIT');
  holder.release();
  expect(await crossing).toMatchObject(refused);
});

test('404 report_schedule_not_found: an unknown schedule is not asked about', async () => {
  await oldSession();
  expect(await update(2_147_483_647, { report: 'customers' })).toMatchObject({
    status: 404,
    body: { error: 'report_schedule_not_found' },
  });
});
