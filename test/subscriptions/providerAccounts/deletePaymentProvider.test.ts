import { call } from '../../support/client';
import { createMerchant, reaches } from '../../support/factories';
import {
  connect,
  createAccount,
  createOwnShop,
  startAccountsApp,
  subscribeWithForm,
  type AccountsApp,
  type Provider,
} from '../../support/paymentAccounts';
import { type ErrorBody } from '../../support/raw';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('200: the keys are deleted, and the merchant sells as before', async () => {
  const merchant = await createMerchant(app);
  await connect(app, merchant, createAccount(app));
  expect((await call(app, 'DELETE', '/payments/provider', undefined, merchant)).status).toBe(200);
  const { body } = await call<Provider>(app, 'GET', '/payments/provider', undefined, merchant);
  expect([body.source, body.former_accounts]).toEqual(['sandbox', []]);
  const text = 'SELECT sealed_keys FROM provider_accounts WHERE merchant_id = $1';
  expect((await app.pool.query(text, [merchant.id])).rows).toEqual([{ sealed_keys: null }]);
});

test('200: a former account is disconnected by its id, and the current one stays', async () => {
  const merchant = await createMerchant(app);
  const [former, current] = [createAccount(app), createAccount(app)];
  await connect(app, merchant, former);
  await connect(app, merchant, current);
  const path = `/payments/provider?account=${former.id}`;
  expect((await call(app, 'DELETE', path, undefined, merchant)).status).toBe(200);
  const { body } = await call<Provider>(app, 'GET', '/payments/provider', undefined, merchant);
  expect([body.account, body.former_accounts]).toEqual([current.id, []]);
  expect((await call(app, 'DELETE', path, undefined, merchant)).status).toBe(404);
});

test('404 provider_not_connected: there is none, or it is another merchant’s', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const account = createAccount(app);
  await connect(app, other, account);
  for (const path of ['/payments/provider', `/payments/provider?account=${account.id}`]) {
    const { status, body } = await call<ErrorBody>(app, 'DELETE', path, undefined, merchant);
    expect([status, body.error]).toEqual([404, 'provider_not_connected']);
  }
});

test('409 provider_in_use: a subscription renews with a card of the account, until it has ended', async () => {
  const { shop, account } = await createOwnShop(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account)).body;
  await reaches(app, shop.consumer, id, 'active');
  const { status, body } = await call<ErrorBody>(app, 'DELETE', '/payments/provider', undefined, shop.merchant);
  expect([status, body.error, body.explain]).toEqual([
    409,
    'provider_in_use',
    expect.stringContaining('renew with cards of this account: 1.') as string,
  ]);
  await call(app, 'DELETE', `/subscriptions/${id}`, undefined, shop.consumer);
  await passDays(app, shop.merchant, 40);
  await until(async () => (await call(app, 'DELETE', '/payments/provider', undefined, shop.merchant)).status === 200);
});
