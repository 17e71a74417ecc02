import { call } from '../../support/client';
import { createRejectionLink, outlive } from '../../support/mailedLinks';
import { listFactors } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: a page with a button, which removes nothing', async () => {
  const { consumer, path } = await createRejectionLink(app);
  const { status, body } = await call<string>(app, 'GET', path);
  expect(status).toBe(200);
  expect(body).toContain('Remove the factor and sign out everywhere</button>');
  expect((await listFactors(app, consumer)).collection).toHaveLength(1);
});

test('200: a token that is too old or never was says so, on a page', async () => {
  const link = await createRejectionLink(app);
  await outlive(app, link);
  for (const dead of [link.path, '/accounts/second-factor/nothing'])
    expect((await call<string>(app, 'GET', dead)).body).toContain('This link has expired');
});
