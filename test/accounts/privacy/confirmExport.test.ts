import { call } from '../../support/client';
import { password } from '../../support/factories';
import { createExportLink, outlive } from '../../support/mailedLinks';
import { operationOf } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const confirm = (path: string) => call(app, 'PUT', path);

test('202: the token starts the export, without a session', async () => {
  const { consumer, path } = await createExportLink(app);
  expect(await operationOf(app, consumer.id)).toBe(0);
  expect(await confirm(path)).toMatchObject({
    status: 202,
    body: { code: 200, message: 'Account successfully exported', state: 'started' },
  });
  expect(await operationOf(app, consumer.id)).toBeGreaterThan(0);
});

test('422 export_token_invalid: a token works once, for an hour, and no other token works', async () => {
  const link = await createExportLink(app);
  await confirm(link.path);
  const old = await createExportLink(app);
  await outlive(app, old);
  for (const path of [link.path, old.path, '/accounts/export/nothing'])
    expect(await confirm(path)).toMatchObject({ status: 422, body: { error: 'export_token_invalid' } });
  expect(await operationOf(app, old.consumer.id)).toBe(0);
});

test('409 export_in_progress: one at a time', async () => {
  const { consumer, path } = await createExportLink(app);
  const own = await call(app, 'POST', '/accounts/export', { password }, consumer);
  expect(own.status).toBe(202);
  expect(await confirm(path)).toMatchObject({ status: 409, body: { error: 'export_in_progress' } });
});
