import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { createRole, createStaff, invite } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the new role, and the sessions and invitations of the member end at once', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  await invite(app, merchant, { role: 'support' }, member);
  const path = `/v2/staff/${member.id}`;
  const { status, body } = await call(app, 'PUT', path, { role: 'read_only' }, merchant);
  expect({ status, body }).toMatchObject({ status: 200, body: { id: member.id, role: 'read_only' } });
  expect((await call(app, 'GET', '/v2/accounts', undefined, member)).status).toBe(401);
  expect((await call(app, 'GET', '/v2/staff/invitations', undefined, merchant)).body).toEqual([]);
  expect((await auditOf(app, merchant))[0]).toMatchObject({
    action: 'staff.update',
    object_id: String(member.id),
    actor_account_id: merchant.id,
  });
});

test('403 scope_not_held: an administrator neither makes nor changes an owner', async () => {
  const merchant = await createMerchant(app);
  const admin = await createStaff(app, merchant, { role: 'admin' });
  const owner = await createStaff(app, merchant, { role: 'owner' });
  const editor = await createStaff(app, merchant, { role: 'editor' });
  for (const [id, role] of [
    [admin.id, 'owner'],
    [editor.id, 'owner'],
    [owner.id, 'editor'],
  ])
    expect(await call(app, 'PUT', `/v2/staff/${id}`, { role }, admin)).toMatchObject({
      status: 403,
      body: { error: 'scope_not_held' },
    });
});

test('404 staff_not_found: another merchant’s member, a customer, another merchant', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const foreign = await createStaff(app, other, { role: 'editor' });
  const consumer = await createConsumer(app, merchant);
  for (const id of [foreign.id, consumer.id, other.id])
    expect(await call(app, 'PUT', `/v2/staff/${id}`, { role: 'admin' }, merchant)).toMatchObject({
      status: 404,
      body: { error: 'staff_not_found' },
    });
});

test('404 staff_role_not_found: another merchant’s role', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'editor' });
  const role_id = await createRole(app, await createMerchant(app), ['items:read']);
  expect(await call(app, 'PUT', `/v2/staff/${member.id}`, { role_id }, merchant)).toMatchObject({
    status: 404,
    body: { error: 'staff_role_not_found' },
  });
});

test('409 owner_required: the account of the merchant', async () => {
  const merchant = await createMerchant(app);
  const owner = await createStaff(app, merchant, { role: 'owner' });
  for (const caller of [merchant, owner])
    expect(await call(app, 'PUT', `/v2/staff/${merchant.id}`, { role: 'editor' }, caller)).toMatchObject({
      status: 409,
      body: { error: 'owner_required' },
    });
});
