import { call } from '../support/client';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the details are empty at first, then those of the caller', async () => {
  const [{ consumer }, other] = [await createPayShop(app), await createPayShop(app)];
  const path = '/v2/accounts/billing-details';
  expect(await call(app, 'GET', path, undefined, consumer)).toMatchObject({ status: 200, body: { country: '' } });
  await call(app, 'PUT', path, { country: 'FR', name: 'Ana' }, consumer);
  expect((await call(app, 'GET', path, undefined, consumer)).body).toMatchObject({ country: 'FR', name: 'Ana' });
  expect((await call(app, 'GET', path, undefined, other.consumer)).body).toMatchObject({ country: '', name: '' });
});
