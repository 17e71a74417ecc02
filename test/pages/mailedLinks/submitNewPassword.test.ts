import { call } from '../../support/client';
import { createMerchant, password } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { createNewPasswordLink, outlive } from '../../support/mailedLinks';
import { createBrandedMerchant } from '../../support/paywall';
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
    'Enter at least 8 characters.',
  );
  expect((await submit(path, { password: changed, password_confirmation: password })).body).toContain(
    'The passwords do not match.',
  );
  expect((await submit(path)).body).toContain('Fill in this field.');
  const { status, headers, body } = await submit(path, both);
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(body).toContain('Password changed');
  const fields = { grant_type: 'password', client_id: merchant.uuid, username: consumer.email, password: changed };
  expect(await call(app, 'POST', '/accounts/authenticate', fields)).toMatchObject({ status: 200 });
  expect((await submit(path, both)).body).toContain('This link has expired');
});

test('200: a token that never was says so, on a page', async () => {
  const { status, body } = await submit('/accounts/forgot-password/nothing', both);
  expect(status).toBe(200);
  expect(body).toContain('This link has expired');
});

test('200: in the language that was asked for, what is wrong as well, and on to the portal in it', async () => {
  const { merchant, path } = await createNewPasswordLink(app, await createBrandedMerchant(app));
  const refused = await submit(`${path}?lang=ar`, { password: 'short', password_confirmation: 'short' });
  expect(refused.body).toContain('<html lang="ar" dir="rtl">');
  expect(refused.body).toContain('أدخل 8 أحرف على الأقل.');
  const { body } = await submit(`${path}?lang=ar`, both);
  expect(body).toContain('تغيّرت كلمة المرور');
  expect(body).toContain('Daily Kick');
  expect(body).toContain(`href="/portal/${merchant.uuid}/sign-in?lang=ar"`);
});

test('200: a token that is too old is said so, and where to ask for another', async () => {
  const link = await createNewPasswordLink(app);
  await outlive(app, link);
  const { status, body } = await submit(link.path, both);
  expect(status).toBe(200);
  expect(body).toContain('This link has expired');
  expect(body).toContain(`href="/portal/${link.merchant.uuid}/forgotten"`);
});

test('200: a merchant who asked is at home in the console', async () => {
  const merchant = await createMerchant(app);
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: 'platform', email: merchant.email });
  const path = `/accounts/forgot-password/${tokenIn(await receives(app, merchant, merchant.email, 'password_reset'))}`;
  const { body } = await submit(path, both);
  expect(body).toContain('Password changed');
  expect(body).toContain('href="/console/sign-in"');
});
