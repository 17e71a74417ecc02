import type * as StripeModule from './stripe';
import { config } from '../../config';
import { pool } from '../postgres/connection';
import { lazily } from '../../kit/lazily';
import { baseUrl } from '../settings';
import { type CardProvider } from './provider';
import { createSandbox, type Sandbox } from './sandbox';

const stripeModule = lazily<typeof StripeModule>(require, './stripe');

/** The sandbox of this installation: its pages answer for the customer's bank. */
export const sandbox: Sandbox = createSandbox({ query: (text, values) => pool.query(text, values), baseUrl });

/** The provider that charges cards here (`CARD_PROVIDER`). */
export const cardProvider: CardProvider = config.CARD_PROVIDER === 'stripe' ? stripe() : sandbox;

function stripe(): CardProvider {
  return stripeModule().createStripe({
    secretKey: config.STRIPE_SECRET_KEY ?? '',
    webhookSecret: config.STRIPE_WEBHOOK_SECRET ?? '',
    apiBase: config.STRIPE_API_BASE,
    returnUrl: `${baseUrl}/payments/return`,
    acceptsRawCards: config.STRIPE_RAW_CARDS,
    timeoutMs: 8_000,
  });
}
