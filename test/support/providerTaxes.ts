import { call } from './client';
import { createFee, reaches, type Shop } from './factories';
import { createOwnShop, subscribeWithForm, type AccountsApp, type StripeAccount } from './paymentAccounts';
import { atHome, nameSeller } from './tax';

/** Sales whose tax the merchant's account at Stripe calculates (Stripe Tax), as the stand-in plays it. */

export interface OwnSeller {
  shop: Shop;
  account: StripeAccount;
}

/** A shop whose account calculates the tax, with a customer in a place. The price is 9.99 EUR. */
export async function createProvidedShop(
  app: AccountsApp,
  address: Record<string, unknown> = { country: 'DE' },
  profile: Record<string, unknown> = {},
): Promise<OwnSeller> {
  const own = await createOwnShop(app);
  await nameSeller(app, own.shop, [atHome], { calculation: 'provider', ...profile });
  const { status } = await call(app, 'PUT', '/v2/accounts/billing-details', address, own.shop.consumer);
  expect(status).toBe(200);
  return own;
}

export const inNewYork = { country: 'US', region: 'US-NY', postal_code: '10118' };

/** The same for prices without tax. */
export async function createNetProvidedShop(
  app: AccountsApp,
  address: Record<string, unknown> = inNewYork,
  fee: Record<string, unknown> = {},
): Promise<OwnSeller> {
  const { shop, account } = await createProvidedShop(app, address, { prices_include_tax: false });
  const { merchant, item } = shop;
  return { account, shop: { ...shop, fee: await createFee(app, merchant, item.id, { amount: '9.99', ...fee }) } };
}

/** A first period. Returns the token of the subscription. */
export async function sellOwn(app: AccountsApp, { shop, account }: OwnSeller): Promise<string> {
  const { body } = await subscribeWithForm(app, shop, account);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return body.subscription_id;
}

/** The recordings of the hourly work. */
export async function recordHour(): Promise<void> {
  const { recordTaxes } = await import('../../src/tax/recordings.js');
  const { findTaxesOf } = await import('../../src/subscriptions/provider/taxAccounts.js');
  await recordTaxes(findTaxesOf);
}

export const taxSettingsOf = async (app: AccountsApp, { merchant }: Shop) =>
  (await call<{ missing: unknown[]; not_recorded: unknown[] }>(app, 'GET', '/v2/tax/settings', undefined, merchant))
    .body;

let seconds = 0;

/** The bank decides on a chargeback, each time a second later. */
export async function tellDispute(
  app: AccountsApp,
  { account }: OwnSeller,
  { token, status }: { token: string; status: 'lost' | 'won' },
): Promise<void> {
  const { findPurchase } = await import('../../src/subscriptions/charges/charges.model.js');
  const { followDisputeNow } = await import('../../src/subscriptions/provider/providerNotifications.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const [intent] = account.intents.values();
  const purchase = await findPurchase(intent?.id ?? '');
  if (!purchase) throw new Error('There is no purchase');
  seconds += 1;
  const at = new Date(Date.UTC(2030, 0, 1) + seconds * 1000);
  const dispute = { reference: token, status, at, reason: 'fraudulent' };
  const { rows } = await app.pool.query<{ provider: string }>(
    'SELECT provider FROM provider_taxes JOIN charges c ON c.id = charge_id WHERE c.trx_token = $1',
    [token],
  );
  const provider = rows[0]?.provider ?? '';
  await transaction((inTransaction) => followDisputeNow(inTransaction, { dispute, purchase, provider }));
}
