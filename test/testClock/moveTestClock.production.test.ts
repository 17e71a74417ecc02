import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { productionSettings } from '../support/production';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp({ ...productionSettings(), MERCHANT_SIGNUP: 'open' })));

afterAll(() => app.stop());

test('404 not_found: in production nobody moves time', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await call(app, 'POST', '/test-clock', { advance: 60 }, merchant);
  expect([status, body]).toMatchObject([404, { error: 'not_found' }]);
  const { rows } = await app.pool.query('SELECT 1 FROM test_clocks WHERE merchant_id = $1', [merchant.id]);
  expect(rows).toEqual([]);
});
