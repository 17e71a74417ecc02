import { randomUUID } from 'node:crypto';
import { reaches } from '../../support/factories';
import {
  createOwnShop,
  startAccountsApp,
  subscribeWithForm,
  type AccountsApp,
  type StripeAccount,
} from '../../support/paymentAccounts';
import { listUnmatched } from '../../support/payments';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

async function reconcile() {
  const { reconcileCharges } = await import('../../../src/subscriptions/provider/reconciliation.js');
  return reconcileCharges();
}

/** A paid intent at Stripe under a key of ours. */
function addPaid(account: StripeAccount, key: string): string {
  const [made] = account.intents.values();
  if (!made) throw new Error('The account has no charge');
  const id = `pi_${randomUUID()}`;
  account.intents.set(id, { ...made, id, metadata: { ...made.metadata, paywall_charge: key } });
  return id;
}

async function subscribed() {
  const { shop, account } = await createOwnShop(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account)).body;
  await reaches(app, shop.consumer, id, 'active');
  return { shop, account, id };
}

const chargesOf = async (id: string) => {
  const text = `SELECT reference FROM charges WHERE subscription_id = (SELECT id FROM subscriptions WHERE token = $1)`;
  return (await app.pool.query<{ reference: string }>(text, [id])).rows;
};

test('a payment in the account of its merchant is recorded; one with the key of another merchant is not theirs', async () => {
  const [own, other] = [await subscribed(), await subscribed()];
  const lost = addPaid(own.account, `${own.id}:2:1`);
  const forged = addPaid(other.account, `${own.id}:3:1`);
  await reconcile();
  expect(await chargesOf(own.id)).toContainEqual({ reference: lost });
  expect(await chargesOf(own.id)).not.toContainEqual({ reference: forged });
  expect((await listUnmatched(app, own.shop.merchant)).collection).toEqual([]);
  expect((await listUnmatched(app, other.shop.merchant)).collection).toMatchObject([{ amount: 9.99 }]);
});

test('an account whose key was revoked does not hide the payments of the others', async () => {
  const [revoked, own] = [await subscribed(), await subscribed()];
  revoked.account.secretKey = 'sk_test_rolled';
  const lost = addPaid(own.account, `${own.id}:2:1`);
  await reconcile();
  expect(await chargesOf(own.id)).toContainEqual({ reference: lost });
});
