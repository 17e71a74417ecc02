import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/staff/roles';

test('200: a role with its scopes in the order of the list', async () => {
  const merchant = await createMerchant(app);
  const fields = { name: 'Desk', scopes: ['vouchers:read', 'items:read'] };
  const { status, body } = await call(app, 'POST', path, fields, merchant);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { name: 'Desk', scopes: ['items:read', 'vouchers:read'] },
  });
});

test('403 scope_not_held: a member does not define a role with more scopes than its own', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role_id: await createRole(app, merchant, ['staff:write']) });
  for (const scopes of [['items:write'], ['staff:write', 'items:write']]) {
    const { status, body } = await call(app, 'POST', path, { name: 'Wide', scopes }, member);
    expect({ status, body }).toMatchObject({ status: 403, body: { error: 'scope_not_held' } });
  }
});

test('409 staff_role_exists: a name in use, also in other letters', async () => {
  const merchant = await createMerchant(app);
  const fields = { name: 'Desk', scopes: ['items:read'] };
  await call(app, 'POST', path, fields, merchant);
  const { status, body } = await call(app, 'POST', path, { ...fields, name: 'DESK' }, merchant);
  expect({ status, body }).toMatchObject({ status: 409, body: { error: 'staff_role_exists' } });
});

test('422 invalid_input: a role cannot manage apps, whose secrets have all scopes', async () => {
  const merchant = await createMerchant(app);
  const { body } = await call(app, 'POST', path, { name: 'Apps', scopes: ['apps:write'] }, merchant);
  expect(body).toMatchObject({ error: 'invalid_input' });
});
