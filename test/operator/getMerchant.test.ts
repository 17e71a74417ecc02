import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { openOperator, type Operator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let operator: Operator;

beforeAll(async () => {
  app = await startApp();
  operator = await openOperator(app);
});
afterAll(() => app.stop());

const get = (id: number | string) => call(app, 'GET', `/operator/merchants/${id}`, undefined, operator);

test('200: one merchant', async () => {
  const merchant = await createMerchant(app);
  expect((await get(merchant.id)).body).toMatchObject({
    ...{ id: merchant.id, uuid: merchant.uuid, email: merchant.email, state: 'open' },
    ...{ reason: null, master_id: null, customers: 0, waiting_since: null, suspended_at: null },
  });
});

test.each([0, 'x', 2_147_483_647])('404 merchant_not_found: %s', async (id) => {
  expect((await get(id)).body).toMatchObject({ code: 404, error: 'merchant_not_found' });
});
