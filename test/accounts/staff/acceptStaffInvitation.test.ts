import { call } from '../../support/client';
import { createMerchant, password } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { acceptance, invite } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/staff/invitations';
const accept = (token: string, fields: Record<string, unknown> = {}) =>
  call(app, 'POST', `${path}/accept`, { ...acceptance(token), ...fields });

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
