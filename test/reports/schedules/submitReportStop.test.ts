import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { agreeToReports, createSchedule, statesOf, stopTokenOf } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const stop = (token: string) =>
  call<string>(app, 'POST', `/reporting/stop/${token}`, {}, { headers: { Accept: 'text/html' } });

const stranger = 'Stranger@example.com';

test('200: a stranger ends all reports of the merchant, and those of no other; the schedules stay', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const foreign = (await createSchedule(app, other, { recipients: [stranger] })).body;
  const shared = (await createSchedule(app, merchant, { recipients: [stranger, 'desk@example.org'] })).body;
  const { id } = (await createSchedule(app, merchant, { recipients: ['stranger@example.com'] })).body;
  for (const who of [merchant, other]) await agreeToReports(app, who, [stranger]);
  const token = await stopTokenOf(app, id, stranger);
  const { status, body } = await stop(token);
  expect([status, body.includes('The emails have stopped')]).toEqual([200, true]);
  expect(await statesOf(app, merchant, id)).toEqual({ 'stranger@example.com': 'stopped' });
  expect(await statesOf(app, merchant, shared.id)).toEqual({
    [stranger]: 'stopped',
    'desk@example.org': 'awaiting_confirmation',
  });
  expect(await statesOf(app, other, foreign.id)).toEqual({ [stranger]: 'confirmed' });
  const actions = (await auditOf(app, merchant)).map(({ action }) => action);
  expect(actions.filter((action) => action === 'report_schedule.stop')).toHaveLength(2);
});

test('404 report_schedule_not_found: a second time, of many at once, and after the merchant has removed the recipient', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant, { recipients: [stranger] })).body;
  const token = await stopTokenOf(app, id, stranger);
  await call(app, 'PATCH', `/reporting/schedules/${id}`, { recipients: ['desk@example.org'] }, merchant);
  expect((await stop(token)).status).toBe(404);
  await call(app, 'PATCH', `/reporting/schedules/${id}`, { recipients: [stranger] }, merchant);
  const answers = await Promise.all(Array.from({ length: 4 }, () => stop(token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  expect((await stop(token)).status).toBe(404);
});
