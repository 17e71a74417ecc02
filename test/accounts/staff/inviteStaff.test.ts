import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { waitForLocks } from '../../support/locks';
import { createRole, createStaff, invite, newAddress } from '../../support/staff';
import { endUnheard } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '3' });
});

afterAll(() => app.stop());

const path = '/v2/staff/invitations';

test('200: a mail with a link', async () => {
  const merchant = await createMerchant(app);
  const { id, email, token } = await invite(app, merchant, { role: 'support' });
  expect(token).toHaveLength(43);
  expect((await call(app, 'GET', path, undefined, merchant)).body).toEqual([
    expect.objectContaining({ id, email, role: 'support', invited_by: merchant.id, is_expired: false }),
  ]);
});

test('200: an expired invitation is replaced', async () => {
  const merchant = await createMerchant(app);
  const { id, email } = await invite(app, merchant, { role: 'support' });
  await app.pool.query('UPDATE staff_invitations SET expires_at = now() WHERE id = $1', [id]);
  const { status, body } = await call(app, 'POST', path, { email, role: 'editor' }, merchant);
  expect({ status, body }).toMatchObject({ status: 200, body: { role: 'editor', is_expired: false } });
});

test('401 invalid_auth_token: a session that has ended invites nobody, although a replica still trusts it', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  const { id } = await invite(app, merchant, { role: 'editor' });
  expect((await call(app, 'GET', '/v2/accounts', undefined, member)).status).toBe(200);
  await endUnheard(app, member);
  for (const [at, body] of [
    [path, { email: newAddress(), role: 'admin' }],
    [`${path}/${id}/resend`, undefined],
  ] as const)
    expect(await call(app, 'POST', at, body, member)).toMatchObject({
      status: 401,
      body: { error: 'invalid_auth_token' },
    });
});

test('401 invalid_auth_token: a removal that runs at the same time ends the invitation', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  expect((await call(app, 'GET', '/v2/accounts', undefined, member)).status).toBe(200);
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [member.id]);
  const crossing = call(app, 'POST', path, { email: newAddress(), role: 'admin' }, member);
  await waitForLocks(app.pool);
  await holder.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [member.id]);
  await holder.query('COMMIT');
  holder.release();
  expect((await crossing).status).toBe(401);
});

test('403 scope_not_held: nobody gives a right that the own role does not have', async () => {
  const merchant = await createMerchant(app);
  const role_id = await createRole(app, merchant, ['staff:write', 'items:read']);
  const member = await createStaff(app, merchant, { role_id });
  for (const role of ['owner', 'admin', 'support', 'read_only'])
    expect(await call(app, 'POST', path, { email: newAddress(), role }, member)).toMatchObject({
      status: 403,
      body: { error: 'scope_not_held' },
    });
  expect((await call(app, 'POST', path, { email: newAddress(), role_id }, member)).status).toBe(200);
});

test('404 staff_role_not_found: another merchant’s role', async () => {
  const merchant = await createMerchant(app);
  const role_id = await createRole(app, await createMerchant(app), ['items:read']);
  const { status, body } = await call(app, 'POST', path, { email: newAddress(), role_id }, merchant);
  expect({ status, body }).toMatchObject({ status: 404, body: { error: 'staff_role_not_found' } });
});

test('409 staff_exists: the address of the merchant, and of a member in other letters', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'editor' });
  for (const email of [merchant.email, member.email.toUpperCase()])
    expect(await call(app, 'POST', path, { email, role: 'editor' }, merchant)).toMatchObject({
      status: 409,
      body: { error: 'staff_exists' },
    });
});

test('409 staff_invited: the invitation waits for an answer', async () => {
  const merchant = await createMerchant(app);
  const { email } = await invite(app, merchant, { role: 'editor' });
  const { status, body } = await call(app, 'POST', path, { email, role: 'admin' }, merchant);
  expect({ status, body }).toMatchObject({ status: 409, body: { error: 'staff_invited' } });
});

test('429 too_many_requests: one address gets three invitations an hour', async () => {
  const merchant = await createMerchant(app);
  const { id } = await invite(app, merchant, { role: 'editor' });
  const statuses = new Set<number>();
  for (let count = 0; count < 30 && !statuses.has(429); count += 1)
    statuses.add((await call(app, 'POST', `${path}/${id}/resend`, undefined, merchant)).status);
  expect(statuses).toContain(429);
});
