import { type PaymentForm } from './paymentForm';
import { toStripeAmount } from './stripeAmounts';

/** Stripe's Payment Element. Stripe's list of hosts: docs.stripe.com/security/guide#content-security-policy. */
export const stripeForm = (publishableKey: string, account?: string): PaymentForm => ({
  kind: 'stripe',
  publishableKey,
  ...(account !== undefined && { account }),
  scriptUrl: 'https://js.stripe.com/v3/',
  hosts: {
    script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
    connect: ['https://api.stripe.com'],
    frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  },
  toFormAmount: toStripeAmount,
});
