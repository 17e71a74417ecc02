import { call } from '../support/client';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: the process runs, for whoever asks', async () => {
  const { status, headers, body } = await call(app, 'GET', '/health/live');
  expect({ status, body }).toEqual({ status: 200, body: { status: 'live' } });
  expect(headers.get('cache-control')).toBe('no-store');
});

test('200: also when the database is of no use', async () => {
  await app.pool.query('ALTER TABLE migrations RENAME TO migrations_away');
  expect((await call(app, 'GET', '/health/live')).status).toBe(200);
  expect((await call(app, 'GET', '/health/ready')).status).toBe(503);
  await app.pool.query('ALTER TABLE migrations_away RENAME TO migrations');
});
