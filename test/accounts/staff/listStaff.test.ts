import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the account of the merchant and its staff, with role and last sign-in', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'finance' });
  const { status, body } = await call(app, 'GET', '/v2/staff', undefined, merchant);
  expect(status).toBe(200);
  expect(body).toEqual([
    expect.objectContaining({ id: merchant.id, role: 'owner', is_merchant: true }),
    expect.objectContaining({
      id: member.id,
      email: member.email,
      full_name: 'Mira Stone',
      role: 'finance',
      is_merchant: false,
      last_sign_in_at: expect.any(Number) as number,
    }),
  ]);
});
