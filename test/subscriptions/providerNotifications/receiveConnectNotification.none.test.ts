import { startAccountsApp, tellPlatform, type AccountsApp } from '../../support/paymentAccounts';

let app: AccountsApp;

beforeAll(async () => (app = await startAccountsApp()));
afterAll(() => app.stop());

test('404 not_found: the installation has no platform', async () => {
  const told = { type: 'account.updated', account: 'acct_1', object: {} };
  expect((await tellPlatform(app, told)).status).toBe(404);
});
