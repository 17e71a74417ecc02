import { z } from 'zod';
import { shownAmount } from '../tax/shownPrices.schemas';
import { taxBehavior } from '../items/accessFees/accessFees.schemas';
import { periods } from '../items/accessTypes.schemas';
import { formBool, formId, formNumber, formText } from '../kit/form';
import { CursorQuery } from '../kit/page';
import { sortFields } from '../kit/sorting';
import { BrandingId } from '../branding/branding.schemas';
import { maybeCardFields, webAddress } from './cards.schemas';
import { PaymentMethod } from './methods/methods.schemas';

const states = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'on_hold',
  'paused',
  'canceled',
  'expired',
  'revoked',
] as const;

/** A purchase. Without a card, the default card pays. */
export const SubscribeBody = z.object({
  access_fee: formId().optional(),
  access_fee_id: formId().optional(),
  payment_method: PaymentMethod.optional(),
  ...maybeCardFields,
  voucher_code: formText({ max: 100 }).optional(),
  /** The total that the payer was shown, in the major unit. If more is due, the purchase is refused. */
  expected_amount: formNumber().pipe(z.number().min(0).max(1e12)).optional(),
  /** The currency of that total, ISO 4217. In another currency the purchase is refused. */
  expected_currency: formText({ min: 3, max: 3 })
    .transform((code) => code.toUpperCase())
    .optional(),
  /** The brand of the mails and the receipt of the purchase. */
  branding_id: BrandingId,
  referrer: formText({ max: 2000 }).optional(),
  return_url: webAddress.optional(),
});

export const SubmittedResponse = z.object({
  code: z.literal(202),
  message: z.string(),
  explain: z.string(),
  subscription_id: z.string(),
  status: z.enum(states),
});

export const SubscriptionPath = z.object({ id: z.string().max(64) });

/** `period_end`: the end of the paid period. A subscription without one ends before all others. */
export const subscriptionSorts = ['created', 'period_end'] as const;

export const SubscriptionQuery = CursorQuery.extend({
  status: z.enum(states).optional(),
  account_id: formId().optional(),
  item_id: formId().optional(),
  never_paid: formBool()
    .meta({ description: 'False leaves out purchases whose first payment never came (`incomplete_expired`)' })
    .optional(),
  ...sortFields(subscriptionSorts),
});

/** Has the fields of both vocabularies of clients. Amounts are in the major unit, times in Unix seconds, 0 for none. */
export const SubscriptionResponse = z.object({
  subscription_id: z.string(),
  id: z.int(),
  status: z.enum(states),
  action_type: z.string(),
  cancel_token: z.string(),
  description: z.string(),
  item_id: z.int(),
  asset_id: z.int(),
  item_title: z.string(),
  asset_title: z.string(),
  item_type: z.string(),
  access_fee_id: z.int(),
  access_type: z.object({ id: z.int(), name: z.string(), quantity: z.int(), period: z.enum(periods) }),
  formatted_amount: z.string(),
  charged_amount: z.number(),
  subscription_price: z.number(),
  tax_behavior: taxBehavior(),
  shown_price: shownAmount(),
  currency: z.string(),
  merchant_id: z.int(),
  account_id: z.int(),
  payment_method_name: z.string(),
  payment_tool_info: z.string(),
  voucher_code: z.string(),
  trial_end: z.int(),
  current_period_start: z.int(),
  current_period_end: z.int(),
  next_billing_date: z.int(),
  next_rebill_date: z.int(),
  cancel_at_period_end: z.boolean(),
  canceled_at: z.int(),
  ended_at: z.int(),
  failure_reason: z.string(),
  pauses_at_period_end: z.boolean(),
  resumes_at: z.int(),
  grace_ends_at: z.int(),
  next_retry_at: z.int(),
  pending_access_fee_id: z.int(),
  balance: z.number().meta({
    description:
      'The customer’s balance in this currency: positive for credit, negative for a debt. The next charge settles it',
  }),
  next_amount: z.number().meta({
    description:
      'The next charge with its discounts and its tax, before the balance; 0 after the end, or if the plan changes before',
  }),
  offer_percent: z.int().meta({ description: 'The discount of an accepted offer, in percent; 0 if none is left' }),
  offer_charges_left: z.int().meta({ description: 'The number of charges that still have this discount' }),
  unsubscribe_url: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});
