import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, reaches, type Person } from '../../support/factories';
import {
  completeAccount,
  createShopBelow,
  openBelow,
  startAccountsApp,
  subscribeWithForm,
  tellPlatform,
  type AccountsApp,
  type Provider,
} from '../../support/paymentAccounts';
import { refund } from '../../support/payments';
import { platformSettings } from '../../support/stripePlatform';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp({ CARD_PROVIDER: 'none', ...platformSettings });
  await app.startWorker();
});

afterAll(() => app.stop());

const read = async (merchant: Person) =>
  (await call<Provider>(app, 'GET', '/payments/provider', undefined, merchant)).body;

async function subscribed() {
  const { shop, account } = await createShopBelow(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account)).body;
  const { current_period_end: endsAt } = await reaches(app, shop.consumer, id, 'active');
  const [intent] = account.intents.values();
  const told = {
    id: `evt_${randomUUID()}`,
    type: 'charge.dispute.created',
    account: account.id,
    object: { id: `dp_${randomUUID()}`, payment_intent: intent?.id, status: 'needs_response' },
  };
  return { shop, account, id, told, endsAt };
}

/** The account with what it tells Stripe to send, and its state after the merchant has removed the platform. */
async function remove(account: { id: string; isAuthorized: boolean }) {
  account.isAuthorized = false;
  const told = { type: 'account.application.deauthorized', account: account.id, object: { id: 'ca_1' } };
  expect((await tellPlatform(app, told)).status).toBe(200);
  return told;
}

test('200: a dispute of an account ends the access of its own customer, once', async () => {
  const { shop, id, told } = await subscribed();
  expect((await tellPlatform(app, told)).status).toBe(200);
  await reaches(app, shop.consumer, id, 'revoked');
  expect((await tellPlatform(app, told)).status).toBe(200);
  const disputes = 'SELECT 1 FROM disputes d JOIN charges c ON c.id = d.charge_id WHERE c.merchant_id = $1';
  expect((await app.pool.query(disputes, [shop.merchant.id])).rows).toHaveLength(1);
});

test('200: a notification of another account, of no account, or of the other mode changes nothing', async () => {
  const { shop, id, told } = await subscribed();
  const other = await createShopBelow(app);
  const foreign = [
    { ...told, account: other.account.id },
    { ...told, account: 'acct_unknown' },
    { ...told, livemode: true },
    { id: told.id, type: told.type, object: told.object },
  ];
  for (const one of foreign) expect((await tellPlatform(app, one)).status).toBe(200);
  const disputes = 'SELECT 1 FROM disputes d JOIN charges c ON c.id = d.charge_id WHERE c.merchant_id = $1';
  expect((await app.pool.query(disputes, [shop.merchant.id])).rows).toEqual([]);
  // None of them hides the real one, which has the same id.
  await tellPlatform(app, told);
  await reaches(app, shop.consumer, id, 'revoked');
});

test('400 invalid_signature: forged; and the address of an account with keys does not take it either', async () => {
  const { account } = await createShopBelow(app);
  account.isAuthorized = false;
  const told = { type: 'account.application.deauthorized', account: account.id, object: {} };
  expect((await tellPlatform(app, told, 'whsec_forged')).status).toBe(400);
  const text = 'SELECT uuid FROM provider_accounts WHERE name = $1';
  const { rows } = await app.pool.query<{ uuid: string }>(text, [`stripe:${account.id}`]);
  const path = `/payments/stripe/notifications/${rows[0]?.uuid}`;
  expect((await call(app, 'POST', path, {})).status).toBe(404);
});

test('200: after the merchant has removed the platform, payments stop, and nothing is lost', async () => {
  const { shop, account, id, endsAt } = await subscribed();
  await remove(account);
  expect(await read(shop.merchant)).toMatchObject({ can_sell: false, connect: { state: 'deauthorized' } });
  const buyer = await createConsumer(app, shop.merchant);
  const body = { access_fee: shop.fee.id, payment_method: 'card', payment_token: 'ctoken_1' };
  const bought = await call(app, 'POST', '/subscriptions', body, buyer);
  expect([bought.status, bought.body['error']]).toEqual([402, 'provider_misconfigured']);

  const paid = `SELECT trx_token FROM charges WHERE merchant_id = $1 AND status = 'paid'`;
  const { rows } = await app.pool.query<{ trx_token: string }>(paid, [shop.merchant.id]);
  expect((await refund(app, shop.merchant, rows[0]?.trx_token ?? '')).status).toBe(200);
  await passDays(app, shop.merchant, (endsAt - Date.now() / 1000) / 86_400 + 0.1);
  const faults = `SELECT code FROM provider_faults WHERE merchant_id = $1 ORDER BY code`;
  await until(async () => (await app.pool.query(faults, [shop.merchant.id])).rows.length === 2);
  expect((await app.pool.query(faults, [shop.merchant.id])).rows).toEqual([
    { code: 'account_deauthorized' },
    { code: 'no_payment_account' },
  ]);
  // The renewal waits, and the customer keeps the access: it is not the customer's fault.
  // The access stays during the days of grace.
  const access = `/items/${shop.item.id}/access`;
  await until(async () => (await call(app, 'GET', access, undefined, shop.consumer)).status === 200);
  await reaches(app, shop.consumer, id, 'active');
  expect([account.intents.size, account.refunds.length]).toEqual([1, 0]);
});

test('200: notifications in the wrong order: what Stripe says now counts', async () => {
  const { shop, account } = await createShopBelow(app);
  const told = await remove(account);
  account.isAuthorized = true;
  // An old one arrives late; the account is in order.
  expect((await tellPlatform(app, told)).status).toBe(200);
  expect(await read(shop.merchant)).toMatchObject({ can_sell: true, connect: { state: 'active' } });
  account.due = ['individual.verification.document'];
  await tellPlatform(app, {
    type: 'account.updated',
    account: account.id,
    created: 1,
    object: { charges_enabled: true },
  });
  expect(await read(shop.merchant)).toMatchObject({
    can_sell: false,
    connect: { state: 'restricted', missing: ['individual.verification.document'] },
  });
  await completeAccount(app, account);
  expect((await read(shop.merchant)).can_sell).toBe(true);
  const faults = 'SELECT code FROM provider_faults WHERE merchant_id = $1';
  expect((await app.pool.query(faults, [shop.merchant.id])).rows).toEqual([]);
});

test('200: after the platform was removed, the merchant opens another account', async () => {
  const { shop, account } = await createShopBelow(app);
  await remove(account);
  const next = await openBelow(app, shop.merchant);
  expect(next.id).not.toBe(account.id);
  await completeAccount(app, next);
  expect(await read(shop.merchant)).toMatchObject({ can_sell: true, account: next.id, connect: { state: 'active' } });
});

test('503 service_unavailable: while Stripe does not answer, it is to notify again', async () => {
  const { account } = await createShopBelow(app);
  account.due = ['external_account'];
  const told = { type: 'account.updated', account: account.id, object: {} };
  app.stripe.fail(`/v1/accounts/${account.id}`, '500 after the work', 2);
  expect((await tellPlatform(app, told)).status).toBe(503);
  app.stripe.mend();
  expect((await tellPlatform(app, told)).status).toBe(200);
});

test('409 connect_refused: Stripe refuses the key of the platform, and sends the notification again', async () => {
  const { account } = await createShopBelow(app);
  const told = { type: 'account.updated', account: account.id, object: {} };
  app.stripe.refuse(`/v1/accounts/${account.id}`, 401, {});
  expect((await tellPlatform(app, told)).status).toBe(409);
  app.stripe.mend();
  expect((await tellPlatform(app, told)).status).toBe(200);
});
