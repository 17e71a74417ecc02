import { call } from '../../support/client';
import { createActivationLink } from '../../support/mailedLinks';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const submit = (path: string) => call<string>(app, 'POST', path, {});

test('200: the button activates, once', async () => {
  const { consumer, path } = await createActivationLink(app);
  const { status, headers, body } = await submit(path);
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(body).toContain('Your account is active');
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).body).toMatchObject({ completed: true });
  expect((await submit(path)).body).toContain('does not work any more');
});

test('200: a token that never was says so, on a page', async () => {
  const { status, body } = await submit('/accounts/activate/nothing');
  expect(status).toBe(200);
  expect(body).toContain('does not work any more');
});
