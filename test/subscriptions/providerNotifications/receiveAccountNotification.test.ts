import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { reaches, type Person } from '../../support/factories';
import { beginMove } from '../../support/installations';
import {
  createOwnShop,
  secretOf,
  startAccountsApp,
  subscribeWithForm,
  type AccountsApp,
  type Provider,
} from '../../support/paymentAccounts';
import { notify } from '../../support/stripeNotifications';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

async function pathOf(merchant: Person): Promise<string> {
  const { body } = await call<Provider>(app, 'GET', '/payments/provider', undefined, merchant);
  return new URL(body.notification_url ?? '').pathname;
}

async function subscribed() {
  const { shop, account } = await createOwnShop(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account)).body;
  await reaches(app, shop.consumer, id, 'active');
  const [intent] = account.intents.values();
  const told = {
    id: `evt_${randomUUID()}`,
    type: 'charge.dispute.created',
    object: { id: `dp_${randomUUID()}`, payment_intent: intent?.id, status: 'needs_response' },
  };
  return { shop, account, id, told };
}

test('200: a dispute of the account ends the access of its own customer, once', async () => {
  const { shop, account, id, told } = await subscribed();
  const path = await pathOf(shop.merchant);
  expect((await notify(app, told, secretOf(account), path)).status).toBe(200);
  await reaches(app, shop.consumer, id, 'revoked');
  expect((await notify(app, told, secretOf(account), path)).status).toBe(200);
});

test('200: a merchant who forges a dispute about a purchase of another merchant changes nothing', async () => {
  const { shop, account, id, told } = await subscribed();
  const forger = await createOwnShop(app);
  const forged = await notify(app, told, secretOf(forger.account), await pathOf(forger.shop.merchant));
  expect(forged.status).toBe(200);
  const disputes = 'SELECT 1 FROM disputes d JOIN charges c ON c.id = d.charge_id WHERE c.merchant_id = $1';
  expect((await app.pool.query(disputes, [shop.merchant.id])).rows).toEqual([]);
  expect((await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer)).status).toBe(200);
  // The forged notification does not hide the real one, which has the same id.
  expect((await notify(app, told, secretOf(account), await pathOf(shop.merchant))).status).toBe(200);
  await reaches(app, shop.consumer, id, 'revoked');
});

test('400 invalid_signature: the secret of another account, or of the installation', async () => {
  const { shop, told } = await subscribed();
  const other = await createOwnShop(app);
  const path = await pathOf(shop.merchant);
  for (const secret of [secretOf(other.account), 'whsec_test'])
    expect((await notify(app, told, secret, path)).status).toBe(400);
});

test('503 service_unavailable: while Stripe does not answer, it is to notify again', async () => {
  const { shop, account, told } = await subscribed();
  const path = await pathOf(shop.merchant);
  const [intent] = account.intents.values();
  const event = { ...told, type: 'charge.refunded', object: { payment_intent: intent?.id } };
  app.stripe.fail('/v1/refunds', '500 after the work');
  expect((await notify(app, event, secretOf(account), path)).status).toBe(503);
  expect((await notify(app, event, secretOf(account), path)).status).toBe(200);
});

test('404 not_found: an address that no account has', async () => {
  const { told } = await subscribed();
  const path = `/payments/stripe/notifications/${randomUUID()}`;
  expect((await notify(app, told, 'whsec_test', path)).status).toBe(404);
});

test('503 service_unavailable: a merchant moves to another installation, and nothing is kept', async () => {
  const { shop, account, id, told } = await subscribed();
  const stay = await beginMove(app, shop.merchant);
  const path = await pathOfAccount(shop.merchant);
  expect((await notify(app, told, secretOf(account), path)).status).toBe(503);
  await stay();
  expect((await notify(app, told, secretOf(account), path)).status).toBe(200);
  await reaches(app, shop.consumer, id, 'revoked');
});

/** Of a merchant that cannot come in. */
async function pathOfAccount({ id }: Person): Promise<string> {
  const text = 'SELECT uuid FROM provider_accounts WHERE merchant_id = $1';
  const { rows } = await app.pool.query<{ uuid: string }>(text, [id]);
  return `/payments/stripe/notifications/${rows[0]?.uuid ?? ''}`;
}
