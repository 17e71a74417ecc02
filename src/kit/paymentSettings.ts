import { z } from 'zod';
import { count, serviceAddress } from './settings';
import { connectSettings } from './stripeSettings';

/** The settings of the card provider. */
export const paymentSettings = {
  CARD_PROVIDER: z
    .enum(['sandbox', 'stripe', 'none'])
    .default('sandbox')
    .describe(
      'The card provider of merchants without their own payment account. `sandbox` has test cards and moves no money. `stripe`: one Stripe account for the whole installation. `none`: each merchant must connect its own account.',
    ),
  SANDBOX_API_BASE: z
    .url()
    .default('http://127.0.0.1:8091')
    .describe(
      'The address of the sandbox, a separate process. `npm start` and `npm run payment-simulator` start it. Test environment only.',
    ),
  SANDBOX_FORM_BASE: z
    .url()
    .optional()
    .describe(
      'The address of the sandbox as browsers reach it. With it, the pages show the payment form of the sandbox, with a test wallet, as they show the form of a real provider. Without it, they have fields for the number of a test card. `npm start` sets it. Test environment only.',
    ),
  SANDBOX_KEY: z
    .string()
    .min(1)
    .default('sandbox')
    .describe('The key of the account at the sandbox. A new key opens an account with an empty ledger.'),
  STRIPE_SECRET_KEY: z.string().optional().describe('The secret key of the installation’s Stripe account.'),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .startsWith('pk_', 'must begin with pk_')
    .optional()
    .describe(
      "The publishable key of the installation’s Stripe account. Stripe's form in the paywall and the portal needs it.",
    ),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .optional()
    .describe("The signing secret of Stripe's webhook endpoint `BASE_URL/payments/stripe/notifications`."),
  STRIPE_API_BASE: serviceAddress.optional().describe("The address of Stripe's API, if tests replace it."),
  STRIPE_RAW_CARDS: z
    .stringbool()
    .default(false)
    .describe(
      'The API accepts card numbers of existing clients. Only for operators certified for it (PCI DSS, SAQ D). The pages still use Stripe’s form.',
    ),
  STRIPE_REQUESTS_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      'Requests to Stripe per second, by all processes together. The default is the limit of Stripe: 100, in a sandbox 25.',
    ),
  STRIPE_FOR_ALL_MERCHANTS: z
    .stringbool()
    .default(false)
    .describe(
      'With CARD_PROVIDER=stripe, every merchant sells on the Stripe account of the installation. By default only the first merchant does, and each other one connects an account.',
    ),
  ...connectSettings,
  CARD_ATTEMPTS_MAX: count(8).describe(
    'How often a card may be declined in 30 days, and how often a charge of one billing cycle may be declined.',
  ),
};
