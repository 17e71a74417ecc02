import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import {
  connect,
  createAccount,
  startAccountsApp,
  type AccountsApp,
  type Provider,
} from '../../support/paymentAccounts';

let app: AccountsApp;

beforeAll(async () => (app = await startAccountsApp({ CARD_PROVIDER: 'none' })));
afterAll(() => app.stop());

test('200: a merchant without an account cannot sell if the installation has none; another merchant’s is not theirs', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await connect(app, other, createAccount(app));
  expect((await call<Provider>(app, 'GET', '/payments/provider', undefined, merchant)).body).toEqual({
    source: 'none',
    can_sell: false,
    provider: null,
    kind: null,
    account: null,
    mode: null,
    publishable_key: null,
    secret_key: null,
    notification_url: null,
    problems: [],
    checked_at: null,
    former_accounts: [],
    connect_offered: false,
    connect: null,
  });
  expect((await call<Provider>(app, 'GET', '/payments/provider', undefined, other)).body.can_sell).toBe(true);
});
