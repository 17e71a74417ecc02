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

test('200: the role is gone', async () => {
  const merchant = await createMerchant(app);
  const id = await createRole(app, merchant, ['items:read']);
  expect((await call(app, 'DELETE', `${path}/${id}`, undefined, merchant)).status).toBe(200);
  expect((await call(app, 'GET', path, undefined, merchant)).body).toEqual([]);
});

test('403 scope_not_held: a member does not delete a role with more scopes than its own', async () => {
  const merchant = await createMerchant(app);
  const wide = await createRole(app, merchant, ['items:write']);
  const member = await createStaff(app, merchant, { role_id: await createRole(app, merchant, ['staff:write']) });
  const { status, body } = await call(app, 'DELETE', `${path}/${wide}`, undefined, member);
  expect({ status, body }).toMatchObject({ status: 403, body: { error: 'scope_not_held' } });
});

test('404 staff_role_not_found: another merchant’s role', async () => {
  const merchant = await createMerchant(app);
  const id = await createRole(app, await createMerchant(app), ['items:read']);
  const { status, body } = await call(app, 'DELETE', `${path}/${id}`, undefined, merchant);
  expect({ status, body }).toMatchObject({ status: 404, body: { error: 'staff_role_not_found' } });
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
