import { call } from '../../support/client';
import { createActivationLink } from '../../support/mailedLinks';
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
    expect(body).toContain('Activate my account</button>');
  }
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).body).toMatchObject({ completed: false });
});

test('200: a token that was used or never was says so, on a page', async () => {
  const { path } = await createActivationLink(app);
  await call(app, 'POST', path, {});
  for (const dead of [path, '/accounts/activate/nothing']) {
    const { status, body } = await show(dead);
    expect(status).toBe(200);
    expect(body).toContain('does not work any more');
  }
});
