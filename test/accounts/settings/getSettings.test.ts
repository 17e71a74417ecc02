import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const read = (person: Person) => call(app, 'GET', '/accounts/settings', undefined, person);

test('200: no limit of sessions at first, then what the merchant has set, which is its own', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  expect(await read(merchant)).toMatchObject({ status: 200, body: { session_limit: null } });
  await call(app, 'PUT', '/accounts/settings', { session_limit: 3 }, merchant);
  expect((await read(merchant)).body).toMatchObject({ session_limit: 3 });
  expect((await read(other)).body).toMatchObject({ session_limit: null });
});

test('403 forbidden: a consumer', async () => {
  expect((await read(await createConsumer(app, await createMerchant(app)))).status).toBe(403);
});
