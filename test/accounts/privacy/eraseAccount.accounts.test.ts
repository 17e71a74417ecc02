import { call } from '../../support/client';
import { subscribeInOwnShop } from '../../support/disputes';
import { password } from '../../support/factories';
import { connect, createAccount, startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';
import { until } from '../../support/until';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('202: the cards of an erased account are deleted in the account that stored them', async () => {
  const { shop, account } = await subscribeInOwnShop(app);
  await connect(app, shop.merchant, createAccount(app));
  expect(account.customers.size).toBe(1);
  expect((await call(app, 'DELETE', '/accounts/erase', { password }, shop.consumer)).status).toBe(202);
  await until(() => account.customers.size === 0);
});

test('202: while the keys of the account cannot be read, the erasure waits', async () => {
  const { shop, account } = await subscribeInOwnShop(app);
  const { rows } = await app.pool.query<{ sealed: Buffer }>(
    'SELECT sealed_keys AS sealed FROM provider_accounts WHERE merchant_id = $1',
    [shop.merchant.id],
  );
  const seal = (keys: Buffer | undefined) =>
    app.pool.query('UPDATE provider_accounts SET sealed_keys = $2 WHERE merchant_id = $1', [shop.merchant.id, keys]);
  await seal(Buffer.from([0]));
  expect((await call(app, 'DELETE', '/accounts/erase', { password }, shop.consumer)).status).toBe(202);
  const stateOf = async () => {
    const text = 'SELECT erased_at FROM accounts WHERE id = $1';
    return (await app.pool.query<{ erased_at: Date | null }>(text, [shop.consumer.id])).rows[0]?.erased_at;
  };
  const retried = `SELECT 1 FROM subscriptions WHERE account_id = $1 AND ended_at IS NULL`;
  await until(async () => (await app.pool.query(retried, [shop.consumer.id])).rows.length === 0);
  expect([await stateOf(), account.customers.size]).toEqual([null, 1]);
  await seal(rows[0]?.sealed);
  await until(async () => (await stateOf()) !== null);
  expect(account.customers.size).toBe(0);
});
