import type * as StripeModule from './stripe';
import type * as StripeAccountModule from './stripeAccount';
import type * as StripeConnectModule from './stripeConnect';
import { config } from '../../config';
import { pool } from '../postgres/connection';
import { lazily } from '../../kit/lazily';
import { baseUrl } from '../settings';
import { createDisconnected } from './disconnected';
import { createPace } from './pace';
import { type CardProvider } from './provider';
import { createSandbox, type Sandbox } from './sandbox';
import { type ConnectPlatform } from './stripeConnect';
import { type StripeAccess } from './stripeClient';

const stripeModule = lazily<typeof StripeModule>(require, './stripe');
/** Tests and registers accounts of Stripe. */
export const stripeAccounts = lazily<typeof StripeAccountModule>(require, './stripeAccount');

/** How accounts of Stripe are reached. */
export const stripeAccess = (): StripeAccess => ({ apiBase: config.STRIPE_API_BASE, timeoutMs: 8_000 });

/** The sandbox of this installation. Its pages replace those of the customer's bank. */
export const sandbox: Sandbox = createSandbox({
  apiBase: config.SANDBOX_API_BASE,
  key: config.SANDBOX_KEY,
  timeoutMs: 8_000,
  baseUrl,
  formBase: config.SANDBOX_FORM_BASE,
});

/** The provider for merchants without an account of their own (`CARD_PROVIDER`). */
export const cardProvider: CardProvider = {
  sandbox: () => sandbox,
  stripe: () =>
    openStripe({
      name: 'stripe',
      secretKey: config.STRIPE_SECRET_KEY ?? '',
      publishableKey: config.STRIPE_PUBLISHABLE_KEY,
      webhookSecret: config.STRIPE_WEBHOOK_SECRET ?? '',
    }),
  none: () => createDisconnected('none'),
}[config.CARD_PROVIDER]();

/** A Stripe account, of this installation or of a merchant. */
export interface StripeAccount {
  /** Identifies the account among the cards and charges of this installation. */
  name: string;
  secretKey: string;
  publishableKey: string | undefined;
  /** Empty: the account sends no notifications here. */
  webhookSecret: string;
}

/** `paced`: the name of the rate limit. */
interface Below {
  stripeAccount: string;
  paced: string;
}

export function openStripe(account: StripeAccount, below?: Below): CardProvider {
  const perSecond = config.STRIPE_REQUESTS_PER_SECOND ?? stripeRequestsPerSecond(account.secretKey);
  return stripeModule().createStripe({
    ...account,
    ...(below && { stripeAccount: below.stripeAccount }),
    ...stripeAccess(),
    pace: createPace({
      query: (text, values) => pool.query<object>(text, values),
      account: below?.paced ?? account.name,
      perSecond,
    }),
    returnUrl: `${baseUrl}/payments/return`,
    acceptsRawCards: below === undefined && config.STRIPE_RAW_CARDS,
  });
}

/** Opens and reads accounts below a platform of Stripe Connect. */
export const stripeConnect = lazily<typeof StripeConnectModule>(require, './stripeConnect');

/** The platform of this installation; undefined if it has none. */
export const connectPlatform: ConnectPlatform | undefined =
  config.STRIPE_CONNECT_SECRET_KEY === undefined
    ? undefined
    : {
        secretKey: config.STRIPE_CONNECT_SECRET_KEY,
        publishableKey: config.STRIPE_CONNECT_PUBLISHABLE_KEY ?? '',
        webhookSecret: config.STRIPE_CONNECT_WEBHOOK_SECRET ?? '',
      };

/** All merchants share the installation's account; otherwise only the first merchant uses it. */
export const isForAllMerchants = config.CARD_PROVIDER !== 'stripe' || config.STRIPE_FOR_ALL_MERCHANTS;

/** A connected account. The platform's keys sign each request, so its rate limit counts. */
export function openConnected(platform: ConnectPlatform, account: { name: string; accountId: string }): CardProvider {
  const { name, accountId } = account;
  return openStripe({ ...platform, name }, { stripeAccount: accountId, paced: 'stripe:connect' });
}

/** Stripe's default rate limits for a live account and for a sandbox (docs.stripe.com/rate-limits). */
export function stripeRequestsPerSecond(secretKey: string): number {
  return /^[rs]k_live_/.test(secretKey) ? 100 : 25;
}
