import { call } from '../../support/client';
import { createMerchant, registration } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

function register(fields: Record<string, unknown>, type: 'merchant' | 'consumer', clientId: string) {
  return call(app, 'POST', '/accounts', { ...registration(type, clientId), ...fields });
}

const both = (password: string) => ({ password, password_confirmation: password });

test('422 invalid_input: a common password, the owner’s e-mail and the merchant’s name, more or less', async () => {
  const named = { full_name: 'Daily Herald' };
  const merchant = (await register(named, 'merchant', 'platform')).body as unknown as { account: { uuid: string } };
  const username = 'marigold.fields@example.org';
  for (const password of [
    'iloveyou1',
    'P@ssw0rd2024',
    'marigoldfields',
    'MarigoldFields7',
    'dailyherald',
    'Daily-Herald-1',
  ]) {
    const answer = await register({ username, ...both(password) }, 'consumer', merchant.account.uuid);
    expect([password, answer.status]).toEqual([password, 422]);
    expect(answer.body).toMatchObject({
      errors: { password: expect.stringContaining('score does not match standards') as string },
    });
  }
  expect((await register({ username, ...both('herald of marigolds') }, 'consumer', merchant.account.uuid)).status).toBe(
    200,
  );
});

test('422 invalid_input: a merchant’s own name', async () => {
  const fields = { full_name: 'Evening Courier', ...both('eveningcourier') };
  expect((await register(fields, 'merchant', 'platform')).status).toBe(422);
});

test('200: a password of 256 bytes, of any signs, counts to its last', async () => {
  const merchant = await createMerchant(app);
  const password = `ключ ${'🔑'.repeat(60)} end`;
  const fields = { ...registration('consumer', merchant.uuid), ...both(password) };
  expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
  const signIn = (given: string) =>
    call(app, 'POST', '/accounts/authenticate', {
      grant_type: 'password',
      client_id: merchant.uuid,
      username: fields.username,
      password: given,
    });
  expect((await signIn(password)).status).toBe(200);
  expect((await signIn(password.slice(0, -1))).status).toBe(401);
});

test('422 invalid_input: 257 bytes', async () => {
  const merchant = await createMerchant(app);
  expect((await register(both('ü'.repeat(128) + 'x'), 'consumer', merchant.uuid)).status).toBe(422);
});
