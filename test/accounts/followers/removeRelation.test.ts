import { call } from '../../support/client';
import { changeAtOnce } from '../../support/emailChanges';
import { createMerchant } from '../../support/factories';
import { auditOf, createFollower, type CreatedFollower, newFollower, signIn } from '../../support/followers';
import { createSchedule, describeSchedule, scheduleIdOf, type Schedule } from '../../support/reportSchedules';
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

const remove = (token: string, follower_id: unknown) =>
  call(app, 'DELETE', '/accounts/merchants/relation', { follower_id }, { token });
const statusOf = async (token: string) => (await call(app, 'GET', '/accounts', undefined, { token })).status;

test('200: the follower’s sessions end, its own and those in its name', async () => {
  const master = await createMerchant(app);
  const fields = newFollower({ scopes: ['items:write'] });
  const { body } = await call<CreatedFollower>(app, 'POST', '/accounts/merchants', fields, master);
  const follower = await signIn(app, fields.email, body.account.uuid);
  expect([await statusOf(follower.token), await statusOf(body.access_token)]).toEqual([200, 200]);
  expect(await remove(master.token, follower.id)).toMatchObject({ status: 200, body: { code: 200 } });
  await until(async () => (await statusOf(follower.token)) === 401 && (await statusOf(body.access_token)) === 401);
  expect(await statusOf(master.token)).toBe(200);
  expect((await auditOf(app, master))[0]).toMatchObject({ action: 'follower.remove' });
});

test('200: a former follower signs in, and may do nothing that asks for a scope, nor what masters may', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['items:write']);
  await remove(master.token, follower.id);
  const { token } = await signIn(app, follower.email, follower.uuid);
  expect(await statusOf(token)).toBe(200);
  const item = { item_type: 'html_asset', title: 'Mine' };
  expect((await call(app, 'POST', '/v2/items', item, { token })).status).toBe(403);
  expect((await call(app, 'POST', '/accounts/merchants', newFollower(), { token })).status).toBe(403);
});

test('200: the follower is mailed the master’s reports no more, and one that nobody else reads ends', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['reports:read']);
  const shared = await createSchedule(app, master, { recipients: [follower.email.toUpperCase(), 'desk@example.org'] });
  const own = await createSchedule(app, master, { recipients: [follower.email] });
  const ownId = await scheduleIdOf(app, own.body.id);
  const other = await createSchedule(app, await createMerchant(app), { recipients: [follower.email] });
  await remove(master.token, follower.id);
  const { body } = await call<{ collection: Schedule[] }>(app, 'GET', '/reporting/schedules', undefined, master);
  expect(body.collection.map(({ id, recipients }) => [id, recipients])).toEqual([
    [shared.body.id, ['desk@example.org']],
  ]);
  await until(async () => (await describeSchedule(temporal.client, ownId)) === undefined);
  const actions = (await auditOf(app, master)).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['report_schedule.update', 'report_schedule.delete']));
  const left = await app.pool.query('SELECT FROM report_schedules WHERE id = $1', [other.body.id]);
  expect(left.rowCount).toBe(1);
});

test('200: a report goes no longer to a former address of the follower, which a stranger has now', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['reports:read']);
  await changeAtOnce(app, follower);
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [follower.id]);
  await changeAtOnce(app, await createMerchant(app), follower.email);
  const { id } = (await createSchedule(app, master, { recipients: ['desk@example.org', follower.email] })).body;
  expect((await remove(master.token, follower.id)).status).toBe(200);
  const left = await call<Schedule>(app, 'GET', `/reporting/schedules/${id}`, undefined, master);
  expect(left.body.recipients).toEqual(['desk@example.org']);
});

test('400 account_does_not_exist: another master’s follower, whose sessions live on, and one removed before', async () => {
  const master = await createMerchant(app);
  const foreign = await createFollower(app, await createMerchant(app), ['items:write']);
  expect(await remove(master.token, foreign.id)).toMatchObject({
    status: 400,
    body: { error: 'account_does_not_exist' },
  });
  expect(await statusOf(foreign.token)).toBe(200);
  const own = await createFollower(app, master, []);
  expect([(await remove(master.token, own.id)).status, (await remove(master.token, own.id)).status]).toEqual([
    200, 400,
  ]);
});

test('400 missing_parameter, 422 invalid_input: the id', async () => {
  const master = await createMerchant(app);
  expect((await remove(master.token, '')).body).toMatchObject({ error: 'missing_parameter' });
  expect((await remove(master.token, '1 or 1')).body).toMatchObject({ error: 'invalid_input' });
});

test('403 forbidden, 401 invalid_auth_token: a follower, and nobody', async () => {
  const follower = await createFollower(app, await createMerchant(app), ['accounts:write']);
  expect((await remove(follower.token, follower.id)).status).toBe(403);
  expect((await call(app, 'DELETE', '/accounts/merchants/relation', { follower_id: 1 })).status).toBe(401);
});
