import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { completeAccount, openBelow, startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';
import { platformSettings } from '../../support/stripePlatform';

let app: AccountsApp;

beforeAll(async () => (app = await startAccountsApp({ CARD_PROVIDER: 'none', ...platformSettings })));
afterAll(() => app.stop());

const ask = (merchant: Person) => call(app, 'POST', '/payments/provider/test', {}, merchant);

test('200: an account below the platform is read at Stripe, and its wallet domain is registered', async () => {
  const merchant = await createMerchant(app);
  const account = await openBelow(app, merchant);
  expect((await ask(merchant)).body).toMatchObject({ is_valid: false, problems: [{ field: 'account' }] });
  Object.assign(account, { hasAnswered: true, due: [] });
  expect((await ask(merchant)).body).toEqual({ is_valid: true, problems: [] });
  expect(account.domains).toMatchObject([{ domain_name: 'pay.example.org' }]);
});

test('409 connect_refused: Stripe refuses the key of the platform; the state stays', async () => {
  const merchant = await createMerchant(app);
  const account = await openBelow(app, merchant);
  await completeAccount(app, account);
  app.stripe.refuse(`/v1/accounts/${account.id}`, 401, {});
  const { status, body } = await ask(merchant);
  app.stripe.mend();
  expect([status, body['error']]).toEqual([409, 'connect_refused']);
  const shown = await call(app, 'GET', '/payments/provider', undefined, merchant);
  expect(shown.body).toMatchObject({ can_sell: true, connect: { state: 'active' } });
});
