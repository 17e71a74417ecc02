import { call } from '../support/client';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: the API reference, with every part of it from this host', async () => {
  const page = await call<string>(app, 'GET', '/docs');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) {
    expect(part).toMatch(/^\/docs\//);
    expect((await call(app, 'GET', part)).status).toBe(200);
  }
});
