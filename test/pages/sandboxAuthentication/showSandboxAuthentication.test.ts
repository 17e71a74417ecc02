import { createAuthentication } from '../../support/authentication';
import { call } from '../../support/client';
import { speak } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const show = (reference: string) => call<string>(app, 'GET', `/sandbox/authenticate/${reference}`);

test('200: a page with the amount, what it is for, and two buttons', async () => {
  const { reference, redirectUrl } = await createAuthentication();
  expect(redirectUrl).toBe(`http://paywall.test/sandbox/authenticate/${reference}`);
  const { status, headers, body } = await show(reference);
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  for (const part of ['€9.99', 'Monthly pass', '<form method="post">', 'value="approved"', 'value="refused"'])
    expect(body).toContain(part);
});

test('200: text from outside is text, not HTML', async () => {
  const { reference } = await createAuthentication({ description: `<script>alert("1")</script> & 'x'` });
  const { body } = await show(reference);
  expect(body).not.toContain('<script');
  expect(body).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;');
});

test('200: a page that runs no script and is kept by nobody', async () => {
  const { headers } = await show((await createAuthentication()).reference);
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; base-uri 'none'",
  );
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
});

test('200: looking changes nothing', async () => {
  const { reference, outcome } = await createAuthentication();
  await show(reference);
  expect([await outcome(), (await show(reference)).status]).toEqual(['requires_action', 200]);
});

test('404 payment_not_found: an unknown payment, and one that was answered', async () => {
  const { reference } = await createAuthentication();
  await call(app, 'POST', `/sandbox/authenticate/${reference}`, { answer: 'approved' });
  for (const name of ['pi_unknown', '<script>', 'x'.repeat(101), reference])
    expect(await call(app, 'GET', `/sandbox/authenticate/${encodeURIComponent(name)}`)).toMatchObject({
      status: 404,
      body: { code: 404, message: 'Payment not found', error: 'payment_not_found' },
    });
});

test.each(['.', '..'])(
  '404 payment_not_found: %s is no reference, and names no other address of the sandbox',
  async (name) => {
    const answer = await speak(
      app,
      `GET /sandbox/authenticate/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
  },
);

test('200: in the language of the browser', async () => {
  const { reference } = await createAuthentication();
  const headers = { 'Accept-Language': 'ar' };
  const { body } = await call<string>(app, 'GET', `/sandbox/authenticate/${reference}`, undefined, { headers });
  for (const part of ['<html lang="ar" dir="rtl">', 'تأكيد الدفعة', '9.99\u00a0€', 'Monthly pass', 'value="approved"'])
    expect(body).toContain(part);
});
