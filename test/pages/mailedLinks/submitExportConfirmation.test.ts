import { call } from '../../support/client';
import { createExportLink } from '../../support/mailedLinks';
import { operationOf } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the button starts the export, once', async () => {
  const { consumer, path } = await createExportLink(app);
  const { status, body } = await call<string>(app, 'POST', path, {});
  expect(status).toBe(200);
  expect(body).toContain('Export confirmed');
  expect(await operationOf(app, consumer.id)).toBeGreaterThan(0);
  expect((await call<string>(app, 'POST', path, {})).body).toContain('This link has expired');
});
