import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { productionSettings } from '../support/production';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp({ ...productionSettings(), MERCHANT_SIGNUP: 'open' })));

afterAll(() => app.stop());

test('404 not_found: in production nobody tells another time', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await call(app, 'GET', '/test-clock', undefined, merchant);
  expect([status, body]).toMatchObject([404, { error: 'not_found' }]);
});
