import { call } from '../../support/client';
import { password } from '../../support/factories';
import { createActivationLink } from '../../support/mailedLinks';
import { createBrandedMerchant } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const submit = (path: string, fields: Record<string, string> = { password }) => call<string>(app, 'POST', path, fields);

test('200: a wrong password or none leaves the link as it is', async () => {
  const { consumer, path } = await createActivationLink(app);
  for (const fields of [{ password: 'not-the-password' }, {}])
    expect((await submit(path, fields)).body).toContain('Activate account</button>');
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).body).toMatchObject({ completed: false });
  expect((await submit(path)).body).toContain('Your account is active');
});

test('200: the button activates, once', async () => {
  const { consumer, path } = await createActivationLink(app);
  const { status, headers, body } = await submit(path);
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(body).toContain('Your account is active');
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).body).toMatchObject({ completed: true });
  expect((await submit(path)).body).toContain('This link has expired');
});

test('200: a token that never was says so, on a page', async () => {
  const { status, body } = await submit('/accounts/activate/nothing');
  expect(status).toBe(200);
  expect(body).toContain('This link has expired');
});

test('200: in the language that was asked for, and on to the portal of the merchant in it', async () => {
  const { merchant, path } = await createActivationLink(app, await createBrandedMerchant(app));
  const { body } = await submit(`${path}?lang=ar`);
  expect(body).toContain('<html lang="ar" dir="rtl">');
  expect(body).toContain('تم تفعيل حسابك');
  expect(body).toContain('Daily Kick');
  expect(body).toContain(`href="/portal/${merchant.uuid}/sign-in?lang=ar"`);
});

test('200: of a merchant that is gone there is no way on', async () => {
  const { merchant, path } = await createActivationLink(app);
  await app.pool.query('UPDATE accounts SET is_active = false WHERE uuid = $1', [merchant.uuid]);
  const { status, body } = await submit(path);
  expect(status).toBe(200);
  expect(body).toContain('Your account is active');
  expect(body).not.toContain('/portal/');
});
