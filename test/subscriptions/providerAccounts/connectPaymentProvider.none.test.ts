import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';

let app: AccountsApp;

beforeAll(async () => (app = await startAccountsApp()));
afterAll(() => app.stop());

test('404 connect_not_offered: the installation has no platform', async () => {
  const { status, body } = await call(app, 'POST', '/payments/provider/connect', {}, await createMerchant(app));
  expect([status, body['error'], app.stripe.accounts]).toEqual([404, 'connect_not_offered', []]);
});
