import { call } from '../../support/client';
import { password } from '../../support/factories';
import { createActivationLink, outlive } from '../../support/mailedLinks';
import { createBrandedMerchant } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const show = (path: string) => call<string>(app, 'GET', path);

test('200: a page with a button, which uses nothing up', async () => {
  const { consumer, path } = await createActivationLink(app);
  for (let time = 0; time < 2; time += 1) {
    const { status, headers, body } = await show(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(body).toContain('Activate account</button>');
  }
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).body).toMatchObject({ completed: false });
});

test('200: a token that was used or never was says so, on a page', async () => {
  const { path } = await createActivationLink(app);
  await call(app, 'POST', path, { password });
  for (const dead of [path, '/accounts/activate/nothing']) {
    const { status, body } = await show(dead);
    expect(status).toBe(200);
    expect(body).toContain('This link has expired');
  }
});

test('200: with the looks of the merchant, in the language of the browser or the one that was chosen', async () => {
  const { path } = await createActivationLink(app, await createBrandedMerchant(app));
  const headers = { 'Accept-Language': 'ar' };
  const arabic = await call<string>(app, 'GET', path, undefined, { headers });
  expect(arabic.body).toContain('<html lang="ar" dir="rtl">');
  expect(arabic.body).toContain('تفعيل الحساب</button>');
  expect(arabic.body).toContain('src="https://cdn.example/logo.png"');
  expect(arabic.headers.get('content-security-policy')).toContain('img-src https:');
  const english = await call<string>(app, 'GET', `${path}?lang=en`, undefined, { headers });
  expect(english.body).toContain('Activate account</button>');
  const kept = await call<string>(app, 'GET', path, undefined, { headers: { Cookie: 'language=ar' } });
  expect(kept.body).toContain('<html lang="ar" dir="rtl">');
});

test('200: a token that is too old is said so, with the looks of its merchant', async () => {
  const link = await createActivationLink(app, await createBrandedMerchant(app));
  await outlive(app, link);
  const { status, body } = await show(link.path);
  expect(status).toBe(200);
  expect(body).toContain('This link has expired');
  expect(body).toContain('Daily Kick');
  expect(body).toContain(`href="/portal/${link.merchant.uuid}/sign-in"`);
});
