import { call } from '../../support/client';
import { changeAtOnce, newAddress, requestEmail } from '../../support/emailChanges';
import { createMerchant, password, type Person } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { createSchedule, type Schedule } from '../../support/reportSchedules';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const signIn = (email: string, clientId = 'platform') =>
  call<{ access_token: string }>(app, 'POST', '/v2/accounts/authenticate', {
    client_id: clientId,
    grant_type: 'password',
    username: email,
    password,
  });

test('200: the member is out at once, and the address can be invited again', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'support' });
  expect((await call(app, 'DELETE', `/v2/staff/${member.id}`, undefined, merchant)).status).toBe(200);
  expect((await call(app, 'GET', '/v2/accounts', undefined, member)).status).toBe(401);
  expect((await signIn(member.email)).status).toBe(401);
  expect((await auditOf(app, merchant))[0]).toMatchObject({ action: 'staff.remove', object_id: String(member.id) });
  const again = await call(app, 'POST', '/v2/staff/invitations', { email: member.email, role: 'editor' }, merchant);
  expect(again.status).toBe(200);
});

test('200: a change of the address that waits ends', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'support' });
  expect((await requestEmail(app, member, { email: newAddress() })).status).toBe(200);
  expect((await call(app, 'DELETE', `/v2/staff/${member.id}`, undefined, merchant)).status).toBe(200);
  const { rows } = await app.pool.query('SELECT FROM email_changes WHERE account_id = $1 AND ended_at IS NULL', [
    member.id,
  ]);
  expect(rows).toEqual([]);
});

test('200: the member is no longer a recipient of reports, and a report without recipients is deleted', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'support' });
  const shared = (await createSchedule(app, merchant, { recipients: ['desk@example.org', member.email] })).body;
  const own = (await createSchedule(app, merchant, { recipients: [member.email.toUpperCase()] })).body;
  const stranger = await createMerchant(app);
  const foreign = (await createSchedule(app, stranger, { recipients: [member.email] })).body;
  expect((await call(app, 'DELETE', `/v2/staff/${member.id}`, undefined, merchant)).status).toBe(200);
  const recipientsOf = async ({ id }: { id: number }, reader: Person) => {
    const { status, body } = await call<Schedule>(app, 'GET', `/reporting/schedules/${id}`, undefined, reader);
    return [status, body.recipients];
  };
  expect(await recipientsOf(shared, merchant)).toEqual([200, ['desk@example.org']]);
  expect(await recipientsOf(own, merchant)).toEqual([404, undefined]);
  expect(await recipientsOf(foreign, stranger)).toEqual([200, [member.email]]);
  const actions = (await auditOf(app, merchant)).slice(0, 3).map(({ action }) => action);
  expect(actions).toEqual(['staff.remove', 'report_schedule.delete', 'report_schedule.update']);
});

test('200: the member is no longer a recipient at a former address, unless another member has it now', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'support' });
  const recipients = ['desk@example.org', member.email];
  const { id } = (await createSchedule(app, merchant, { recipients })).body;
  await changeAtOnce(app, member);
  await changeAtOnce(app, member);
  const left = async () =>
    (await call<Schedule>(app, 'GET', `/reporting/schedules/${id}`, undefined, merchant)).body.recipients;
  expect(await left()).toEqual(recipients);
  expect((await call(app, 'DELETE', `/v2/staff/${member.id}`, undefined, merchant)).status).toBe(200);
  expect(await left()).toEqual(['desk@example.org']);

  const former = await createStaff(app, merchant, { role: 'support' });
  await changeAtOnce(app, former);
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [former.id]);
  const present = await createStaff(app, merchant, { role: 'support' });
  await changeAtOnce(app, present, former.email);
  const shared = (await createSchedule(app, merchant, { recipients: [former.email] })).body;
  expect((await call(app, 'DELETE', `/v2/staff/${former.id}`, undefined, merchant)).status).toBe(200);
  const path = `/reporting/schedules/${shared.id}`;
  expect((await call<Schedule>(app, 'GET', path, undefined, merchant)).body.recipients).toEqual([former.email]);
});

test('403 scope_not_held: an administrator does not remove an owner', async () => {
  const merchant = await createMerchant(app);
  const admin = await createStaff(app, merchant, { role: 'admin' });
  const owner = await createStaff(app, merchant, { role: 'owner' });
  const { body } = await call(app, 'DELETE', `/v2/staff/${owner.id}`, undefined, admin);
  expect(body).toMatchObject({ error: 'scope_not_held' });
});

test('404 staff_not_found: another merchant’s member', async () => {
  const merchant = await createMerchant(app);
  const foreign = await createStaff(app, await createMerchant(app), { role: 'support' });
  const { body } = await call(app, 'DELETE', `/v2/staff/${foreign.id}`, undefined, merchant);
  expect(body).toMatchObject({ error: 'staff_not_found' });
});

test('409 owner_required: the last owner is the account of the merchant, which stays', async () => {
  const merchant = await createMerchant(app);
  const owner = await createStaff(app, merchant, { role: 'owner' });
  const { body } = await call(app, 'DELETE', `/v2/staff/${merchant.id}`, undefined, owner);
  expect(body).toMatchObject({ error: 'owner_required' });
});
