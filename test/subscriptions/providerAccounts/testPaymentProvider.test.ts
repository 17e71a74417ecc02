import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { connect, createAccount, startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';

let app: AccountsApp;

beforeAll(async () => (app = await startAccountsApp()));
afterAll(() => app.stop());

interface Tested {
  is_valid: boolean;
  problems: { field: string; message: string }[];
  error?: string;
}

const ask = (merchant: Person) => call<Tested>(app, 'POST', '/payments/provider/test', {}, merchant);

test('200: names what is wrong at the time of the test, and the account shows it', async () => {
  const merchant = await createMerchant(app);
  const account = createAccount(app);
  const { secretKey } = account;
  await connect(app, merchant, account);
  expect((await ask(merchant)).body).toEqual({ is_valid: true, problems: [] });
  account.endpoints.length = 0;
  account.takesPayments = false;
  const { body } = await ask(merchant);
  expect([body.is_valid, body.problems.map(({ field }) => field)]).toEqual([false, ['account', 'webhook_secret']]);
  const shown = await call(app, 'GET', '/payments/provider', undefined, merchant);
  expect(shown.body['problems']).toEqual(body.problems);
  account.secretKey = 'sk_test_rolled';
  expect((await ask(merchant)).body.problems).toEqual([
    { field: 'secret_key', message: 'Stripe does not accept this key.' },
  ]);
  Object.assign(account, { secretKey, takesPayments: true });
  await connect(app, merchant, account);
  expect((await ask(merchant)).body.is_valid).toBe(true);
});

test('200: keys that were sealed with another ENCRYPTION_KEY are to be entered again', async () => {
  const merchant = await createMerchant(app);
  const account = createAccount(app);
  await connect(app, merchant, account);
  const text = `UPDATE provider_accounts SET sealed_keys = '\\x00' WHERE merchant_id = $1`;
  await app.pool.query(text, [merchant.id]);
  expect((await ask(merchant)).body.problems).toEqual([
    { field: 'secret_key', message: expect.stringContaining('enter them again') as string },
  ]);
  await connect(app, merchant, account);
  expect((await ask(merchant)).body.is_valid).toBe(true);
});

test('404 provider_not_connected: there is nothing to test', async () => {
  const { status, body } = await ask(await createMerchant(app));
  expect([status, body.error]).toEqual([404, 'provider_not_connected']);
});

test('503 service_unavailable: Stripe does not answer; the last result stays', async () => {
  const merchant = await createMerchant(app);
  await connect(app, merchant, createAccount(app));
  app.stripe.fail('/v1/account', '500 after the work', 2);
  const { status } = await ask(merchant);
  app.stripe.mend();
  expect(status).toBe(503);
  const { body } = await call(app, 'GET', '/payments/provider', undefined, merchant);
  expect(body['problems']).toEqual([]);
});
