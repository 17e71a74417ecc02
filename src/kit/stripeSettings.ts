import { z } from 'zod';

/** Stripe Connect: one platform account of the operator, and an account of each merchant below it. */

const percent = z.coerce
  .number()
  .min(0)
  .max(100)
  .refine((value) => Number.isInteger(Math.round(value * 1e6) / 1e4), 'must have at most two decimals');

/** Amounts in the major unit by currency: `EUR:0.25,USD:0.30`. */
function readAmounts(text: string, context: z.RefinementCtx): ReadonlyMap<string, number> {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const found = parts.map((part) => /^([A-Z]{3}):(\d{1,9}(?:\.\d{1,4})?)$/.exec(part));
  const amounts = new Map(found.map((one) => [one?.[1] ?? '', Number(one?.[2])]));
  if (found.includes(null) || amounts.size < parts.length)
    context.addIssue({ code: 'custom', message: 'must be like EUR:0.25,USD:0.30, each currency once' });
  return amounts;
}

export const connectSettings = {
  STRIPE_CONNECT_SECRET_KEY: z
    .string()
    .regex(/^[sr]k_(live|test)_/, 'must begin with sk_live_, sk_test_, rk_live_ or rk_test_')
    .optional()
    .describe(
      'The secret key of a Stripe Connect platform. With it, merchants can open or connect an account at Stripe.',
    ),
  STRIPE_CONNECT_PUBLISHABLE_KEY: z
    .string()
    .startsWith('pk_', 'must begin with pk_')
    .optional()
    .describe('The publishable key of the Stripe Connect platform.'),
  STRIPE_CONNECT_WEBHOOK_SECRET: z
    .string()
    .optional()
    .describe(
      "The signing secret of the platform's webhook endpoint for connected accounts, `BASE_URL/payments/stripe/connect/notifications`.",
    ),
  CONNECT_FEE_PERCENT: percent
    .default(0)
    .describe('The part of each payment on a connected account that goes to the platform. At most two decimals.'),
  CONNECT_FEE_FIXED: z
    .string()
    .default('')
    .transform(readAmounts)
    .describe('What the platform gets from each payment besides the part, by currency: `EUR:0.25,USD:0.30`.'),
  CONNECT_FEE_REFUNDED: z
    .stringbool()
    .default(false)
    .describe(
      "A refund gives the platform's fee back to the merchant, in proportion. By default the platform keeps it.",
    ),
};

export const connectNames = [
  'STRIPE_CONNECT_SECRET_KEY',
  'STRIPE_CONNECT_PUBLISHABLE_KEY',
  'STRIPE_CONNECT_WEBHOOK_SECRET',
] as const;
