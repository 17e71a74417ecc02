import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const newPassword = 'a-quite-new-battery';

async function createForgetful() {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email: consumer.email });
  const token = tokenIn(await receives(app, merchant, consumer.email, 'password_reset'));
  return { merchant, consumer, token };
}

const reset = (token: string, text = newPassword, confirmation = text, fields: Record<string, unknown> = {}) =>
  call(app, 'PUT', `/accounts/forgot-password/${token}`, {
    password: text,
    password_confirmation: confirmation,
    ...fields,
  });

const signIn = (person: Person, text: string) =>
  call(app, 'POST', '/accounts/authenticate', {
    grant_type: 'password',
    client_id: person.merchantUuid,
    username: person.email,
    password: text,
  });

test('200: the new password signs in, the old one and every session are dead, and a notice is mailed', async () => {
  const { merchant, consumer, token } = await createForgetful();
  const { status, body } = await reset(token, newPassword, newPassword, { branding_id: 'undefined' });
  expect({ status, body }).toMatchObject({ status: 200, body: { code: 200, explain: expect.any(String) as string } });
  expect(await signIn(consumer, newPassword)).toMatchObject({ status: 200 });
  expect(await signIn(consumer, password)).toMatchObject({ status: 401 });
  expect(await call(app, 'GET', '/accounts', undefined, consumer)).toMatchObject({ status: 401 });
  const refresh = { grant_type: 'refresh_token', client_id: merchant.uuid, refresh_token: consumer.refreshToken };
  expect(await call(app, 'POST', '/accounts/authenticate', refresh)).toMatchObject({ status: 401 });
  expect(await receives(app, merchant, consumer.email, 'password_changed')).toMatchObject({ to: consumer.email });
});

test('422 reset_token_invalid: a token serves once, also when many come at once', async () => {
  const { token } = await createForgetful();
  const replies = await Promise.all([1, 2, 3, 4, 5].map((nth) => reset(token, `${newPassword}-${nth}`)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422]);
  expect(await reset(token)).toMatchObject({
    status: 422,
    body: { error: 'reset_token_invalid', message: 'resetPasswordToken is not valid. Ask for a new mail' },
  });
});

test('422 reset_token_invalid: a token of the last hour only, and the newest only', async () => {
  const { merchant, consumer, token } = await createForgetful();
  const first = await receives(app, merchant, consumer.email, 'password_reset');
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email: consumer.email });
  const second = tokenIn(await receives(app, merchant, consumer.email, 'password_reset', first.id));
  expect(await reset(token)).toMatchObject({ status: 422 });
  await app.pool.query('UPDATE mailed_tokens SET expires_at = now() WHERE account_id = $1', [consumer.id]);
  expect(await reset(second)).toMatchObject({ status: 422, body: { error: 'reset_token_invalid' } });
  expect(await signIn(consumer, password)).toMatchObject({ status: 200 });
});

test('422 reset_token_invalid: an activation token opens no password', async () => {
  const { merchant, consumer } = await createForgetful();
  const token = tokenIn(await receives(app, merchant, consumer.email, 'activation'));
  expect(await reset(token)).toMatchObject({ status: 422, body: { error: 'reset_token_invalid' } });
});

test('422 invalid_input: a short password or a mismatch changes nothing, and the token lives on', async () => {
  const { consumer, token } = await createForgetful();
  expect(await reset(token, 'short')).toMatchObject({
    status: 422,
    body: { message: 'Invalid input', errors: { password: 'The password must be at least 8 characters.' } },
  });
  expect(await reset(token, newPassword, 'something-else')).toMatchObject({
    status: 422,
    body: {
      message: 'Invalid input',
      errors: { password_confirmation: 'The password_confirmation does not match the password.' },
    },
  });
  expect(await signIn(consumer, password)).toMatchObject({ status: 200 });
  expect(await reset(token)).toMatchObject({ status: 200 });
});

test('422 invalid_input: a password that everybody tries first', async () => {
  const { token } = await createForgetful();
  expect(await reset(token, 'password123')).toMatchObject({
    status: 422,
    body: { message: 'Invalid input: The password score does not match standards.' },
  });
});

test('400 missing_parameter: both fields are needed', async () => {
  const { token } = await createForgetful();
  const reply = await call(app, 'PUT', `/accounts/forgot-password/${token}`, { password: newPassword });
  expect(reply).toMatchObject({
    status: 400,
    body: { errors: { password_confirmation: 'The password_confirmation must not be empty.' } },
  });
});
