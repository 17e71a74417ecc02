import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createRole, createStaff, invite } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/staff/roles';

test('200: a role is created, changed, listed and deleted', async () => {
  const merchant = await createMerchant(app);
  const fields = { name: 'Desk', scopes: ['vouchers:read', 'items:read'] };
  const { status, body } = await call<{ id: number }>(app, 'POST', path, fields, merchant);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { name: 'Desk', scopes: ['items:read', 'vouchers:read'] },
  });
  const own = `${path}/${body.id}`;
  expect((await call(app, 'PUT', own, { name: 'News', scopes: ['items:read'] }, merchant)).status).toBe(200);
  expect((await call(app, 'GET', path, undefined, merchant)).body).toEqual([
    expect.objectContaining({ id: body.id, name: 'News', scopes: ['items:read'] }),
  ]);
  expect((await call(app, 'DELETE', own, undefined, merchant)).status).toBe(200);
  expect((await call(app, 'GET', path, undefined, merchant)).body).toEqual([]);
});

test('200: new scopes end the sessions of the members, and a new name does not', async () => {
  const merchant = await createMerchant(app);
  const id = await createRole(app, merchant, ['items:read']);
  const member = await createStaff(app, merchant, { role_id: id });
  await call(app, 'PUT', `${path}/${id}`, { name: 'Desk', scopes: ['items:read'] }, merchant);
  expect((await call(app, 'GET', '/v2/accounts', undefined, member)).status).toBe(200);
  await call(app, 'PUT', `${path}/${id}`, { name: 'Desk', scopes: ['vouchers:read'] }, merchant);
  expect((await call(app, 'GET', '/v2/accounts', undefined, member)).status).toBe(401);
});

test('403 scope_not_held: a member neither defines nor changes nor deletes a role with more scopes', async () => {
  const merchant = await createMerchant(app);
  const wide = await createRole(app, merchant, ['items:write']);
  const own = await createRole(app, merchant, ['staff:write', 'items:read']);
  const member = await createStaff(app, merchant, { role_id: own });
  const refused = { status: 403, body: { error: 'scope_not_held' } };
  const body = { name: 'Wide', scopes: ['items:read', 'items:write'] };
  expect(await call(app, 'POST', path, body, member)).toMatchObject(refused);
  expect(await call(app, 'PUT', `${path}/${own}`, body, member)).toMatchObject(refused);
  expect(await call(app, 'PUT', `${path}/${wide}`, { ...body, scopes: ['items:read'] }, member)).toMatchObject(refused);
  expect(await call(app, 'DELETE', `${path}/${wide}`, undefined, member)).toMatchObject(refused);
});

test('404 staff_role_not_found: another merchant’s role', async () => {
  const merchant = await createMerchant(app);
  const id = await createRole(app, await createMerchant(app), ['items:read']);
  const refused = { status: 404, body: { error: 'staff_role_not_found' } };
  expect(await call(app, 'PUT', `${path}/${id}`, { name: 'x', scopes: ['items:read'] }, merchant)).toMatchObject(
    refused,
  );
  expect(await call(app, 'DELETE', `${path}/${id}`, undefined, merchant)).toMatchObject(refused);
});

test('409 staff_role_exists: a name in use, also in other letters', async () => {
  const merchant = await createMerchant(app);
  const fields = { name: 'Desk', scopes: ['items:read'] };
  await call(app, 'POST', path, fields, merchant);
  const other = await createRole(app, merchant, ['items:read']);
  const refused = { status: 409, body: { error: 'staff_role_exists' } };
  expect(await call(app, 'POST', path, { ...fields, name: 'DESK' }, merchant)).toMatchObject(refused);
  expect(await call(app, 'PUT', `${path}/${other}`, fields, merchant)).toMatchObject(refused);
});

test('409 staff_role_in_use: a member or an invitation has the role', async () => {
  const merchant = await createMerchant(app);
  const [held, offered] = [await createRole(app, merchant, ['items:read']), await createRole(app, merchant, [])];
  await createStaff(app, merchant, { role_id: held });
  await invite(app, merchant, { role_id: offered });
  for (const id of [held, offered])
    expect(await call(app, 'DELETE', `${path}/${id}`, undefined, merchant)).toMatchObject({
      status: 409,
      body: { error: 'staff_role_in_use' },
    });
});

test('422 invalid_input: a role cannot manage apps, whose secrets have all scopes', async () => {
  const merchant = await createMerchant(app);
  const { body } = await call(app, 'POST', path, { name: 'Apps', scopes: ['apps:write'] }, merchant);
  expect(body).toMatchObject({ error: 'invalid_input' });
});
