import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type ProviderResponse } from '../../src/subscriptions/provider/providerAccounts.schemas';
import { call, type Reply } from './client';
import {
  createFee,
  createItem,
  createMerchant,
  createConsumer,
  type Person,
  type Shop,
  type Submitted,
} from './factories';
import { platformKeys, platformSecret } from './stripePlatform';
import { notify, type Told } from './stripeNotifications';
import { startApp, type TestApp } from './startApp';
import { createPaymentToken } from './stripeForm';
import { startStripeServer, type StripeServer } from './stripeServer';
import { type ErrorBody } from './raw';

export type Provider = z.output<typeof ProviderResponse>;

/** A public address, as Stripe and wallets need it. */
export const publicUrl = 'https://pay.example.org';

export interface AccountsApp extends TestApp {
  stripe: StripeServer;
}

/** An installation with the sandbox, in which merchants connect Stripe accounts of their own. */
export async function startAccountsApp(settings: Record<string, string> = {}): Promise<AccountsApp> {
  const stripe = await startStripeServer();
  const app = await startApp({ BASE_URL: publicUrl, STRIPE_API_BASE: stripe.url, ...settings });
  const stop = async () => {
    await app.stop();
    await stripe.stop();
  };
  return { ...app, stripe, stop };
}

export type StripeAccount = ReturnType<StripeServer['addAccount']>;

/** A name that no other account of the stand-in has. */
export const createAccount = ({ stripe }: AccountsApp): StripeAccount =>
  stripe.addAccount(randomUUID().replaceAll('-', '').slice(0, 12));

export function connect(
  app: AccountsApp,
  merchant: Person,
  { secretKey, publishableKey }: Pick<StripeAccount, 'secretKey' | 'publishableKey'>,
  more: Record<string, unknown> = {},
): Promise<Reply<Provider & ErrorBody>> {
  const body = { secret_key: secretKey, publishable_key: publishableKey, ...more };
  return call(app, 'PUT', '/payments/provider', body, merchant);
}

/** A shop whose merchant has connected an account. */
export async function createOwnShop(app: AccountsApp): Promise<{ shop: Shop; account: StripeAccount }> {
  const account = createAccount(app);
  const merchant = await createMerchant(app);
  await connect(app, merchant, account);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  return { shop: { merchant, consumer, item, fee: await createFee(app, merchant, item.id) }, account };
}

/** Subscribes with a card that the form of the account has sent to Stripe. */
export async function subscribeWithForm(
  app: AccountsApp,
  shop: Shop,
  { id, publishableKey }: StripeAccount,
  headers: Record<string, string> = {},
) {
  const below = publishableKey === platformKeys.publishableKey ? { account: id } : {};
  const payment_token = await createPaymentToken(app.stripe, { publishableKey, ...below });
  const body = { access_fee: shop.fee.id, payment_method: 'card', payment_token };
  return call<Submitted>(app, 'POST', '/subscriptions', body, { ...shop.consumer, headers });
}

/** The secret of the only webhook endpoint of an account. */
export const secretOf = ({ endpoints }: StripeAccount) =>
  `whsec_${String(endpoints[0]?.['id']).slice(3).replaceAll('-', '')}`;

/** Opens an account below the platform; at Stripe the merchant has not answered yet. */
export async function openBelow(app: AccountsApp, merchant: Person) {
  const { status, body } = await call<{ url: string }>(app, 'POST', '/payments/provider/connect', {}, merchant);
  const id = new URL(body.url).pathname.split('/')[2] ?? '';
  const account = app.stripe.accounts.find((one) => one.id === id);
  if (status !== 200 || !account) throw new Error(`no account was opened: ${status}`);
  return account;
}

/** Stripe tells of a connected account. */
export const tellPlatform = (app: AccountsApp, told: Told, signedWith = platformSecret) =>
  notify(app, told, signedWith, '/payments/stripe/connect/notifications');

/** The merchant answers all questions at Stripe. */
export async function completeAccount(app: AccountsApp, account: StripeAccount): Promise<void> {
  Object.assign(account, { hasAnswered: true, due: [] });
  const { status } = await tellPlatform(app, { type: 'account.updated', account: account.id, object: {} });
  if (status !== 200) throw new Error(`the notification was refused: ${status}`);
}

/** A shop whose merchant sells on an account below the platform. */
export async function createShopBelow(app: AccountsApp): Promise<{ shop: Shop; account: StripeAccount }> {
  const merchant = await createMerchant(app);
  const account = await openBelow(app, merchant);
  await completeAccount(app, account);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  return { shop: { merchant, consumer, item, fee: await createFee(app, merchant, item.id) }, account };
}
