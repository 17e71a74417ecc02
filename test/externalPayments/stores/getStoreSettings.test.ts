import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: who claims first keeps a purchase, and test purchases open nothing, unless the merchant says so', async () => {
  const merchant = await createMerchant(app);
  const read = () => call(app, 'GET', '/stores/settings', undefined, merchant);
  expect(await read()).toMatchObject({
    status: 200,
    body: { transfer_policy: 'keep', sandbox_purchases: false, unmapped_products: false, consumption_consent: false },
  });
  await call(app, 'PUT', '/stores/settings', { transfer_policy: 'transfer' }, merchant);
  expect((await read()).body).toMatchObject({ transfer_policy: 'transfer' });
});
