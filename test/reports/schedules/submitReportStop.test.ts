import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { createSchedule, stopTokenOf } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const stop = (token: string) =>
  call<string>(app, 'POST', `/reporting/stop/${token}`, {}, { headers: { Accept: 'text/html' } });

const recipientsOf = async (merchant: Person) => {
  const path = '/reporting/schedules';
  const { body } = await call<{ collection: { recipients: string[] }[] }>(app, 'GET', path, undefined, merchant);
  return body.collection.map(({ recipients }) => recipients);
};

const stranger = 'Stranger@example.com';

test('200: a stranger leaves all reports of the merchant, and those of no other; a report without readers ends', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await createSchedule(app, other, { recipients: [stranger] });
  await createSchedule(app, merchant, { recipients: [stranger, 'desk@example.org'] });
  const { id } = (await createSchedule(app, merchant, { recipients: ['stranger@example.com'] })).body;
  const token = await stopTokenOf(app, id, stranger);
  const { status, body } = await stop(token);
  expect([status, body.includes('The emails have stopped')]).toEqual([200, true]);
  expect(await recipientsOf(merchant)).toEqual([['desk@example.org']]);
  expect(await recipientsOf(other)).toEqual([[stranger]]);
  const actions = (await auditOf(app, merchant)).map(({ action }) => action);
  expect(actions.filter((action) => action === 'report_schedule.stop')).toHaveLength(2);
});

test('404 report_schedule_not_found: a second time, and after the merchant has removed the recipient', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant, { recipients: [stranger] })).body;
  const token = await stopTokenOf(app, id, stranger);
  await call(app, 'PATCH', `/reporting/schedules/${id}`, { recipients: ['desk@example.org'] }, merchant);
  expect((await stop(token)).status).toBe(404);
  await call(app, 'PATCH', `/reporting/schedules/${id}`, { recipients: [stranger] }, merchant);
  expect((await stop(token)).status).toBe(200);
  expect((await stop(token)).status).toBe(404);
});
