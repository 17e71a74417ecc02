import { z } from 'zod';
import { formDate, formExtensionDays, formId, formNumber, formText } from '../../kit/form';
import { Message } from '../../kit/page';
import { webAddress } from '../cards.schemas';
import { PaymentMethod } from '../methods/methods.schemas';
import { TaxPart } from '../../tax/taxQuotes.schemas';

const token = z.string().max(64);

export const SubscriptionPath = z.object({ id: token });
export const LinkPath = z.object({ token: z.string().max(128) });
export const CancelPath = z.object({ id: token, cancel_token: token });

/** `period_end`: access ends with the paid period. `now`: access ends immediately, without a refund. */
export const CancelBody = z.object({
  at: z.enum(['period_end', 'now']).default('period_end'),
  reason: formText({ max: 250 }).optional(),
});

/** The cancellation takes effect a moment later: `status` is `pending` until its event is published. */
export const CancelReply = z.object({
  code: z.literal(200),
  subscription: z.string(),
  operation: z.literal('unsubscribe'),
  description: z.string(),
  status: z.literal('pending'),
  timestamp: z.int(),
});

/**
 * A change whose outcome is not known yet. It needs no further request: `url` shows the subscription, and the same
 * request with the same Idempotency-Key returns the outcome.
 */
export const PendingChange = Message.extend({
  subscription_id: z.string(),
  status: z.literal('pending'),
  url: z.string(),
});

/** Without `resumes_at`, the pause lasts until a request ends it. */
export const PauseBody = z.object({ resumes_at: formDate().optional() });

export const ExtendBody = z.object({ days: formExtensionDays() });

export const switchModes = ['now', 'next_invoice', 'next_period', 'reset'] as const;

/**
 * Without a `mode`, a more expensive plan begins now and a cheaper plan with the next period. `next_invoice` is for
 * merchants, and for consumers if the item allows it.
 */
export const SwitchChoice = z.object({ access_fee_id: formId(), mode: z.enum(switchModes).optional() });

/** `expected_amount`: the total of the preview, in the major unit. If more is due now, the change is refused. */
export const SwitchBody = SwitchChoice.extend({
  expected_amount: formNumber().pipe(z.number().min(0).max(1e12)).optional(),
});

/**
 * The method that pays from now on: the saved card of the currency, the mandate for direct debits, or iDEAL, Bancontact or
 * PayPal, whose page returns the payer to `return_url`.
 */
export const MethodBody = z.object({ payment_method: PaymentMethod, return_url: webAddress.optional() });

/** The payer must agree at `redirect_to_url`. After that, the client sends `pi_id`, and the method pays. */
export const WaitingMethod = Message.extend({
  subscription_id: z.string(),
  status: z.literal('requires_action'),
  redirect_to_url: z.string(),
  pi_id: z.string(),
});

/** `inplayer_token` is the subscription's id. */
export const NamedSwitchBody = SwitchBody.extend({ inplayer_token: token });

/**
 * Amounts are in the major unit, credits are negative. `total` is charged now and includes the `tax_amount`; `date` is in
 * Unix seconds.
 */
export const SwitchPreview = z.object({
  mode: z.enum(switchModes),
  lines: z.array(z.object({ description: z.string(), amount: z.number() })),
  total: z.number(),
  formatted_total: z.string(),
  balance: z.number(),
  currency: z.string(),
  date: z.int(),
  ...TaxPart.shape,
});
