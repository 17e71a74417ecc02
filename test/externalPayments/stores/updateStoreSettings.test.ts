import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: what is sent is set, and the rest stays', async () => {
  const merchant = await createMerchant(app);
  const put = (fields: Record<string, unknown>) => call(app, 'PUT', '/stores/settings', fields, merchant);
  expect(await put({ transfer_policy: 'transfer_if_inactive' })).toMatchObject({
    status: 200,
    body: { transfer_policy: 'transfer_if_inactive', sandbox_purchases: false, unmapped_products: false },
  });
  expect(await put({ sandbox_purchases: 'true' })).toMatchObject({
    status: 200,
    body: { transfer_policy: 'transfer_if_inactive', sandbox_purchases: true },
  });
  expect(await put({ unmapped_products: 'true' })).toMatchObject({
    status: 200,
    body: { transfer_policy: 'transfer_if_inactive', sandbox_purchases: true, unmapped_products: true },
  });
});

test('422 invalid_input: a policy that is none', async () => {
  const reply = await call(app, 'PUT', '/stores/settings', { transfer_policy: 'steal' }, await createMerchant(app));
  expect(reply).toMatchObject({ status: 422, body: { errors: { transfer_policy: expect.any(String) as unknown } } });
});
