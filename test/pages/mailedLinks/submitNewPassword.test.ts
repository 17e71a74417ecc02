import { call } from '../../support/client';
import { password } from '../../support/factories';
import { createNewPasswordLink } from '../../support/mailedLinks';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const submit = (path: string, fields: Record<string, unknown> = {}) => call<string>(app, 'POST', path, fields);
const changed = 'a-quite-new-battery';
const both = { password: changed, password_confirmation: changed };

test('200: asks for the new password until it is one, and signs in with it', async () => {
  const { merchant, consumer, path } = await createNewPasswordLink(app);
  expect((await submit(path, { password: 'short', password_confirmation: 'short' })).body).toContain(
    'The password must be at least 8 characters.',
  );
  expect((await submit(path, { password: changed, password_confirmation: password })).body).toContain('does not match');
  expect((await submit(path)).body).toContain('must not be empty');
  const { status, headers, body } = await submit(path, both);
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(body).toContain('Your password is changed');
  const fields = { grant_type: 'password', client_id: merchant.uuid, username: consumer.email, password: changed };
  expect(await call(app, 'POST', '/accounts/authenticate', fields)).toMatchObject({ status: 200 });
  expect((await submit(path, both)).body).toContain('any more');
});

test('200: a token that never was says so, on a page', async () => {
  const { status, body } = await submit('/accounts/forgot-password/nothing', both);
  expect(status).toBe(200);
  expect(body).toContain('does not work any more');
});
