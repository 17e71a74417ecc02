import { call } from '../../support/client';
import { createMerchant, password } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { acceptance, createRole, createStaff, invite, newAddress } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '3' });
});

afterAll(() => app.stop());

const path = '/v2/staff/invitations';
const accept = (token: string, fields: Record<string, unknown> = {}) =>
  call(app, 'POST', `${path}/accept`, { ...acceptance(token), ...fields });

describe('inviteStaff, listStaffInvitations', () => {
  test('200: a mail with a link, and the invitation in the list', async () => {
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

  test('409 staff_exists, staff_invited: the merchant, a member, an invited person', async () => {
    const merchant = await createMerchant(app);
    const member = await createStaff(app, merchant, { role: 'editor' });
    const invited = await invite(app, merchant, { role: 'editor' });
    for (const [email, error] of [
      [merchant.email, 'staff_exists'],
      [member.email.toUpperCase(), 'staff_exists'],
      [invited.email, 'staff_invited'],
    ])
      expect((await call(app, 'POST', path, { email, role: 'editor' }, merchant)).body).toMatchObject({ error });
  });

  test('429 too_many_requests: one address gets three invitations an hour', async () => {
    const merchant = await createMerchant(app);
    const { id } = await invite(app, merchant, { role: 'editor' });
    const statuses = new Set<number>();
    for (let count = 0; count < 30 && !statuses.has(429); count += 1)
      statuses.add((await call(app, 'POST', `${path}/${id}/resend`, undefined, merchant)).status);
    expect(statuses).toContain(429);
  });
});

describe('resendStaffInvitation, withdrawStaffInvitation', () => {
  test('200: a new link that works, and the old one no longer', async () => {
    const merchant = await createMerchant(app);
    const { id, email, token } = await invite(app, merchant, { role: 'editor' });
    const first = await receives(app, merchant, email, 'staff_invitation');
    expect((await call(app, 'POST', `${path}/${id}/resend`, undefined, merchant)).status).toBe(200);
    const second = await receives(app, merchant, email, 'staff_invitation', first.id);
    expect((await accept(token)).body).toMatchObject({ error: 'staff_invitation_invalid' });
    expect((await accept(tokenIn(second))).status).toBe(200);
  });

  test('200: a withdrawn link does not work', async () => {
    const merchant = await createMerchant(app);
    const { id, token } = await invite(app, merchant, { role: 'editor' });
    expect((await call(app, 'DELETE', `${path}/${id}`, undefined, merchant)).status).toBe(200);
    expect((await accept(token)).body).toMatchObject({ error: 'staff_invitation_invalid' });
  });

  test('403 scope_not_held: an administrator does not resend the invitation of an owner', async () => {
    const merchant = await createMerchant(app);
    const admin = await createStaff(app, merchant, { role: 'admin' });
    const { id } = await invite(app, merchant, { role: 'owner' });
    const { body } = await call(app, 'POST', `${path}/${id}/resend`, undefined, admin);
    expect(body).toMatchObject({ error: 'scope_not_held' });
  });

  test('404 staff_invitation_not_found: another merchant’s invitation', async () => {
    const merchant = await createMerchant(app);
    const { id } = await invite(app, await createMerchant(app), { role: 'editor' });
    for (const [method, at] of [
      ['POST', `${path}/${id}/resend`],
      ['DELETE', `${path}/${id}`],
    ] as const)
      expect(await call(app, method, at, undefined, merchant)).toMatchObject({
        status: 404,
        body: { error: 'staff_invitation_not_found' },
      });
  });
});

describe('acceptStaffInvitation', () => {
  test('200: of two answers to one invitation, one succeeds', async () => {
    const merchant = await createMerchant(app);
    const { token } = await invite(app, merchant, { role: 'editor' });
    const answers = await Promise.all([accept(token), accept(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  test('422 staff_invitation_invalid: an unknown token, and one whose seven days are over', async () => {
    const merchant = await createMerchant(app);
    const { id, token, expires_at, created_at } = await invite(app, merchant, { role: 'editor' });
    expect(expires_at - created_at).toBe(7 * 86_400);
    expect((await accept('unknown')).body).toMatchObject({ error: 'staff_invitation_invalid' });
    await app.pool.query('UPDATE staff_invitations SET expires_at = now() WHERE id = $1', [id]);
    expect(await accept(token)).toMatchObject({ status: 422, body: { error: 'staff_invitation_invalid' } });
  });

  test('409 account_exists: the address is another merchant’s, and the invitation stays', async () => {
    const merchant = await createMerchant(app);
    const { email } = await createMerchant(app);
    await call(app, 'POST', path, { email, role: 'editor' }, merchant);
    const token = tokenIn(await receives(app, merchant, email, 'staff_invitation'));
    expect(await accept(token)).toMatchObject({ status: 409, body: { error: 'account_exists' } });
    expect((await call(app, 'GET', path, undefined, merchant)).body).toHaveLength(1);
  });

  test('403 merchant_suspended: the operator has suspended the merchant', async () => {
    const merchant = await createMerchant(app);
    const { token } = await invite(app, merchant, { role: 'editor' });
    await app.pool.query(
      `INSERT INTO merchant_states (merchant_id, suspended_at, suspension_reason) VALUES ($1, now(), 'Spam.')`,
      [merchant.id],
    );
    expect(await accept(token)).toMatchObject({ status: 403, body: { error: 'merchant_suspended' } });
  });

  test('422 invalid_input: a password that is easy to guess', async () => {
    const merchant = await createMerchant(app);
    const { token } = await invite(app, merchant, { role: 'editor' });
    const weak = { password: 'password1', password_confirmation: 'password1' };
    expect((await accept(token, weak)).body).toMatchObject({ error: 'invalid_input' });
    expect((await accept(token, { password })).status).toBe(200);
  });
});
