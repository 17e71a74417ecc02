import { call } from '../../support/client';
import { createExportLink, outlive } from '../../support/mailedLinks';
import { operationOf } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: a page with a button, which starts nothing', async () => {
  const { consumer, path } = await createExportLink(app);
  const { status, body } = await call<string>(app, 'GET', path);
  expect(status).toBe(200);
  expect(body).toContain('Send me my data</button>');
  expect(await operationOf(app, consumer.id)).toBe(0);
});

test('200: a token that is too old or never was says so, on a page', async () => {
  const link = await createExportLink(app);
  await outlive(app, link);
  for (const dead of [link.path, '/accounts/export/nothing'])
    expect((await call<string>(app, 'GET', dead)).body).toContain('This link has expired');
});
