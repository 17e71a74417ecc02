import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { acceptance, createStaff, invite } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/staff/invitations';
const accept = (token: string, fields: Record<string, unknown> = {}) =>
  call(app, 'POST', `${path}/accept`, { ...acceptance(token), ...fields });

test('200: a withdrawn link does not work', async () => {
  const merchant = await createMerchant(app);
  const { id, token } = await invite(app, merchant, { role: 'editor' });
  expect((await call(app, 'DELETE', `${path}/${id}`, undefined, merchant)).status).toBe(200);
  expect((await accept(token)).body).toMatchObject({ error: 'staff_invitation_invalid' });
});

test('403 scope_not_held: an administrator does not withdraw the invitation of an owner', async () => {
  const merchant = await createMerchant(app);
  const admin = await createStaff(app, merchant, { role: 'admin' });
  const { id, token } = await invite(app, merchant, { role: 'owner' });
  expect(await call(app, 'DELETE', `${path}/${id}`, undefined, admin)).toMatchObject({
    status: 403,
    body: { error: 'scope_not_held' },
  });
  expect((await accept(token)).status).toBe(200);
});

test('404 staff_invitation_not_found: another merchant’s invitation', async () => {
  const merchant = await createMerchant(app);
  const { id } = await invite(app, await createMerchant(app), { role: 'editor' });
  expect(await call(app, 'DELETE', `${path}/${id}`, undefined, merchant)).toMatchObject({
    status: 404,
    body: { error: 'staff_invitation_not_found' },
  });
});
