import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import {
  connect,
  createAccount,
  startAccountsApp,
  type AccountsApp,
  type Provider,
} from '../../support/paymentAccounts';

let app: AccountsApp;

beforeAll(async () => {
  const keys = {
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_test',
  };
  app = await startAccountsApp({ CARD_PROVIDER: 'stripe', ...keys });
});
afterAll(() => app.stop());

async function sourceOf(merchant: Person) {
  const { body } = await call<Provider>(app, 'GET', '/payments/provider', undefined, merchant);
  return [body.source, body.can_sell];
}

test('the Stripe account of the installation is that of the first merchant: the second sells on its own account only', async () => {
  const [first, second] = [await createMerchant(app), await createMerchant(app)];
  expect(await sourceOf(first)).toEqual(['installation', true]);
  expect(await sourceOf(second)).toEqual(['none', false]);
  await connect(app, second, createAccount(app));
  expect(await sourceOf(second)).toEqual(['own', true]);
});
