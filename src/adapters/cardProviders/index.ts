import type * as StripeModule from './stripe';
import type * as StripeAccountModule from './stripeAccount';
import { config } from '../../config';
import { pool } from '../postgres/connection';
import { lazily } from '../../kit/lazily';
import { baseUrl } from '../settings';
import { createDisconnected } from './disconnected';
import { createPace } from './pace';
import { type CardProvider } from './provider';
import { createSandbox, type Sandbox } from './sandbox';
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

export function openStripe(account: StripeAccount): CardProvider {
  const perSecond = config.STRIPE_REQUESTS_PER_SECOND ?? stripeRequestsPerSecond(account.secretKey);
  return stripeModule().createStripe({
    ...account,
    ...stripeAccess(),
    pace: createPace({ query: (text, values) => pool.query<object>(text, values), account: account.name, perSecond }),
    returnUrl: `${baseUrl}/payments/return`,
    acceptsRawCards: config.STRIPE_RAW_CARDS,
  });
}

/** Stripe's default rate limits for a live account and for a sandbox (docs.stripe.com/rate-limits). */
export function stripeRequestsPerSecond(secretKey: string): number {
  return /^[rs]k_live_/.test(secretKey) ? 100 : 25;
}
