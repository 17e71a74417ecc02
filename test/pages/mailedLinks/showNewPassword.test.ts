import { call } from '../../support/client';
import { createNewPasswordLink, outlive } from '../../support/mailedLinks';
import { createBrandedMerchant } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const show = (path: string) => call<string>(app, 'GET', path);

test('200: a page that asks for the new password twice, and uses nothing up', async () => {
  const { path } = await createNewPasswordLink(app);
  for (let time = 0; time < 2; time += 1) {
    const { status, headers, body } = await show(path);
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const name of ['password', 'password_confirmation']) expect(body).toContain(`name="${name}"`);
  }
});

test('200: a token that was used or never was says so, on a page', async () => {
  const { path } = await createNewPasswordLink(app);
  const changed = 'a-quite-new-battery';
  await call(app, 'POST', path, { password: changed, password_confirmation: changed });
  for (const dead of [path, '/accounts/forgot-password/nothing']) {
    const { status, body } = await show(dead);
    expect(status).toBe(200);
    expect(body).toContain('This link has expired');
  }
});

test('200: with the looks of the merchant, in the language of the browser', async () => {
  const { path } = await createNewPasswordLink(app, await createBrandedMerchant(app));
  const headers = { 'Accept-Language': 'ar-EG,ar;q=0.9,en;q=0.5' };
  const { body } = await call<string>(app, 'GET', path, undefined, { headers });
  expect(body).toContain('<html lang="ar" dir="rtl">');
  expect(body).toContain('تعيين كلمة مرور جديدة');
  expect(body).toContain('src="https://cdn.example/logo.png"');
  expect(body).toContain('--primary:#7c2d12');
  expect(body).toContain('href="?lang=en"');
  expect(body).not.toContain('<script');
});

test('200: a token that is too old is said so, and where to ask for another', async () => {
  const link = await createNewPasswordLink(app, await createBrandedMerchant(app));
  await outlive(app, link);
  const { status, body } = await show(link.path);
  expect(status).toBe(200);
  expect(body).toContain('This link has expired');
  expect(body).toContain('Daily Kick');
  expect(body).toContain(`href="/portal/${link.merchant.uuid}/forgotten"`);
});
