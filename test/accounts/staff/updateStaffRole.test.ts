import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createRole, createStaff, inviteUnread } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/staff/roles';

test('200: new scopes end the sessions of the members, and a new name does not', async () => {
  const merchant = await createMerchant(app);
  const id = await createRole(app, merchant, ['items:read']);
  const member = await createStaff(app, merchant, { role_id: id });
  await call(app, 'PUT', `${path}/${id}`, { name: 'Desk', scopes: ['items:read'] }, merchant);
  expect((await call(app, 'GET', '/v2/accounts', undefined, member)).status).toBe(200);
  await call(app, 'PUT', `${path}/${id}`, { name: 'Desk', scopes: ['vouchers:read'] }, merchant);
  expect((await call(app, 'GET', '/v2/accounts', undefined, member)).status).toBe(401);
});

test('200: new scopes end the invitations that the members have sent, and no others', async () => {
  const merchant = await createMerchant(app);
  const id = await createRole(app, merchant, ['staff:write', 'items:read']);
  const other = await createRole(app, merchant, ['items:read']);
  const member = await createStaff(app, merchant, { role_id: id });
  await inviteUnread(app, member, { role_id: other });
  const kept = await inviteUnread(app, merchant, { role_id: other });
  const invitations = async () =>
    (await call<{ id: number }[]>(app, 'GET', '/v2/staff/invitations', undefined, merchant)).body.map((row) => row.id);
  await call(app, 'PUT', `${path}/${id}`, { name: 'Desk', scopes: ['items:read', 'staff:write'] }, merchant);
  expect(await invitations()).toHaveLength(2);
  await call(app, 'PUT', `${path}/${id}`, { name: 'Desk', scopes: ['items:read'] }, merchant);
  expect(await invitations()).toEqual([kept.id]);
});

test('403 scope_not_held: a member neither widens its role nor changes a wider one', async () => {
  const merchant = await createMerchant(app);
  const wide = await createRole(app, merchant, ['items:write']);
  const own = await createRole(app, merchant, ['staff:write', 'items:read']);
  const member = await createStaff(app, merchant, { role_id: own });
  const refused = { status: 403, body: { error: 'scope_not_held' } };
  const scopes = ['items:read', 'items:write'];
  expect(await call(app, 'PUT', `${path}/${own}`, { name: 'Own', scopes }, member)).toMatchObject(refused);
  const narrow = { name: 'Wide', scopes: ['items:read'] };
  expect(await call(app, 'PUT', `${path}/${wide}`, narrow, member)).toMatchObject(refused);
});

test('404 staff_role_not_found: another merchant’s role', async () => {
  const merchant = await createMerchant(app);
  const id = await createRole(app, await createMerchant(app), ['items:read']);
  const { status, body } = await call(app, 'PUT', `${path}/${id}`, { name: 'x', scopes: ['items:read'] }, merchant);
  expect({ status, body }).toMatchObject({ status: 404, body: { error: 'staff_role_not_found' } });
});

test('409 staff_role_exists: the name of another role', async () => {
  const merchant = await createMerchant(app);
  const fields = { name: 'Desk', scopes: ['items:read'] };
  await call(app, 'POST', path, fields, merchant);
  const other = await createRole(app, merchant, ['items:read']);
  const { status, body } = await call(app, 'PUT', `${path}/${other}`, fields, merchant);
  expect({ status, body }).toMatchObject({ status: 409, body: { error: 'staff_role_exists' } });
});
