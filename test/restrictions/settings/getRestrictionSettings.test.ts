import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: no verification from registration on; by the merchant’s uuid or by an app of its', async () => {
  const merchant = await createMerchant(app);
  const { body: created } = await call<{ client_id: string }>(app, 'POST', '/accounts/apps', { name: 'TV' }, merchant);
  for (const name of [merchant.uuid, merchant.uuid.toUpperCase(), created.client_id]) {
    const { status, body } = await call(app, 'GET', `/restrictions/settings/${name}`);
    expect([status, body]).toEqual([
      200,
      {
        age_verification_type: 'basic',
        age_verification_enabled: false,
        merchant_uuid: merchant.uuid,
        created_at: expect.any(Number) as number,
        updated_at: expect.any(Number) as number,
      },
    ]);
  }
});

test('404 account_not_found: nobody’s uuid', async () => {
  const { status, body } = await call(app, 'GET', '/restrictions/settings/00000000-0000-4000-8000-000000000000');
  expect([status, body['error']]).toEqual([404, 'account_not_found']);
});
