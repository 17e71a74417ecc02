import type * as StripeModule from './stripe';
import { config } from '../../config';
import { pool } from '../postgres/connection';
import { lazily } from '../../kit/lazily';
import { baseUrl } from '../settings';
import { createPace } from './pace';
import { type CardProvider } from './provider';
import { createSandbox, type Sandbox } from './sandbox';

const stripeModule = lazily<typeof StripeModule>(require, './stripe');

/** The sandbox of this installation. Its pages replace those of the customer's bank. */
export const sandbox: Sandbox = createSandbox({ query: (text, values) => pool.query(text, values), baseUrl });

/** The provider that charges cards in this installation (`CARD_PROVIDER`). */
export const cardProvider: CardProvider = config.CARD_PROVIDER === 'stripe' ? stripe() : sandbox;

function stripe(): CardProvider {
  const secretKey = config.STRIPE_SECRET_KEY ?? '';
  const perSecond = config.STRIPE_REQUESTS_PER_SECOND ?? stripeRequestsPerSecond(secretKey);
  return stripeModule().createStripe({
    secretKey,
    publishableKey: config.STRIPE_PUBLISHABLE_KEY,
    pace: createPace({ query: (text, values) => pool.query<object>(text, values), account: 'stripe', perSecond }),
    webhookSecret: config.STRIPE_WEBHOOK_SECRET ?? '',
    apiBase: config.STRIPE_API_BASE,
    returnUrl: `${baseUrl}/payments/return`,
    acceptsRawCards: config.STRIPE_RAW_CARDS,
    timeoutMs: 8_000,
  });
}

/** Stripe's default rate limits for a live account and for a sandbox (docs.stripe.com/rate-limits). */
export function stripeRequestsPerSecond(secretKey: string): number {
  return /^[rs]k_live_/.test(secretKey) ? 100 : 25;
}
