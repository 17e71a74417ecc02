import { z } from 'zod';

/** Event types and their resources, as existing clients read them (decisions 8, wire C.4). */

/** What a payment's events tell. `amount` is text with the currency's decimals; times are Unix seconds. */
export const PaymentResource = z.object({
  code: z.literal(200),
  status: z.string(),
  timestamp: z.int(),
  subscription_id: z.string(),
  transaction: z.string(),
  item_id: z.int(),
  previewTitle: z.string(),
  access_fee_id: z.int(),
  description: z.string(),
  customer_id: z.int(),
  email: z.string(),
  amount: z.string(),
  full_amount: z.string(),
  discount_percent: z.int(),
  voucher_code: z.string(),
  currency_iso: z.string(),
  formatted_amount: z.string(),
  payment_method: z.string(),
  next_rebill_date: z.int(),
  current_period_end: z.int(),
  /** From where the purchase was made, as its app told. */
  referrer: z.string(),
});
export type PaymentResource = z.output<typeof PaymentResource>;

/** One client reads `message`, webhooks the payment (wire C.4): both. */
export const CancelledResource = PaymentResource.extend({ message: z.string() });

/** What a failed purchase was of (wire C.5). */
const Extras = z.object({ item_id: z.int(), referrer: z.string() });

export const FailureResource = z.object({
  account_id: z.int(),
  access_fee_id: z.int(),
  subscription_id: z.string(),
  code: z.literal(422),
  message: z.string(),
  explain: z.record(z.string(), z.string()),
  extras: Extras,
});

/** A charge of a running subscription that was declined, however often it is tried (wire C.5): `timestamp` is milliseconds here. */
export const RebillFailureResource = z.object({
  code: z.literal(402),
  attempted_charge_amount: z.string(),
  full_amount: z.string(),
  currency_iso: z.string(),
  item_id: z.int(),
  merchant_id: z.int(),
  subscription_token: z.string(),
  payment_method: z.string(),
  message: z.string(),
  timestamp: z.int(),
});

/** A purchase in a store that opened nothing: `explain` is text here (wire C.4); `reason` is for programs. */
export const ExternalFailureResource = z.object({
  account_id: z.int(),
  external_payment_id: z.string(),
  code: z.literal(422),
  message: z.string(),
  explain: z.string(),
  extras: Extras,
  reason: z.string(),
});

/** A purchase in a store: the payment, and the claim that presented it. */
export const ExternalPaymentResource = PaymentResource.extend({ external_payment_id: z.string() });

export const ActionResource = z.object({
  subscription_id: z.string(),
  redirect_to_url: z.string(),
  pi_id: z.string(),
});

/** Of a one-time payment: `transaction` is its `C-…` token (wire C.4). */
export const OneTimePaymentResource = PaymentResource.omit({ subscription_id: true, current_period_end: true });
export type OneTimePaymentResource = z.output<typeof OneTimePaymentResource>;

export const PaymentFailureResource = FailureResource.omit({ subscription_id: true }).extend({
  transaction: z.string(),
});

export const PaymentActionResource = z.object({
  transaction: z.string(),
  redirect_to_url: z.string(),
  pi_id: z.string(),
});

/** A refund tells of the payment it belongs to, in its `transaction`; `amount` is what was given back (wire C.5). */
export const RefundResource = OneTimePaymentResource.extend({
  trx_token: z.string(),
  refund_token: z.string(),
  is_partial: z.boolean(),
  note: z.string(),
});
export type RefundResource = z.output<typeof RefundResource>;

export const RefundFailureResource = PaymentFailureResource.extend({ trx_token: z.string(), refund_token: z.string() });

export const AccessResource = z.looseObject({
  id: z.int(),
  customer_id: z.int(),
  expires_at: z.int(),
  item: z.looseObject({ id: z.int(), title: z.string(), content: z.string() }),
});

/** `package_collection`: the packages that hold the item. */
export const AccessEndedResource = z.object({ item_id: z.int(), package_collection: z.array(z.int()).optional() });

/** Of an account's sessions only the one that ended hears it: the others go on (wire C.4). */
export const LogoutResource = z.object({ reason: z.string(), session_id: z.uuid() });

/** Each type of event, and what it tells. */
interface Resources {
  'access.granted': typeof AccessResource;
  'access.revoked': typeof AccessEndedResource;
  'subscribe.success': typeof PaymentResource;
  'subscribe.failed': typeof FailureResource;
  'subscribe.requires.action': typeof ActionResource;
  'subscribe.renewed': typeof PaymentResource;
  'subscribe.past_due': typeof PaymentResource;
  'subscribe.cancelled.success': typeof CancelledResource;
  'subscribe.updated': typeof PaymentResource;
  'subscribe.expired': typeof PaymentResource;
  'subscription.rebill.failed': typeof RebillFailureResource;
  'trial.converted': typeof PaymentResource;
  'payment.card.success': typeof OneTimePaymentResource;
  'payment.card.failed': typeof PaymentFailureResource;
  'payment.card.requires.action': typeof PaymentActionResource;
  'payment.refund.success': typeof RefundResource;
  'payment.refund.failed': typeof RefundFailureResource;
  'external.payment.success': typeof ExternalPaymentResource;
  'external.payment.failed': typeof ExternalFailureResource;
  'external.subscribe.success': typeof PaymentResource;
  'external.subscribe.cancel.success': typeof CancelledResource;
  'external.payment.refund.success': typeof PaymentResource;
  'account.logout': typeof LogoutResource;
  /** Says all by its type: the app signs out. */
  'account.deactivated': z.ZodObject<Record<never, never>>;
  'account.export.success': z.ZodObject<Record<never, never>>;
  'account.erased': z.ZodObject<Record<never, never>>;
}

export type EventType = keyof Resources;

/** The same as values: a type that is not here does not compile. */
const named: Record<EventType, true> = {
  'access.granted': true,
  'access.revoked': true,
  'subscribe.success': true,
  'subscribe.failed': true,
  'subscribe.requires.action': true,
  'subscribe.renewed': true,
  'subscribe.past_due': true,
  'subscribe.cancelled.success': true,
  'subscribe.updated': true,
  'subscribe.expired': true,
  'subscription.rebill.failed': true,
  'trial.converted': true,
  'payment.card.success': true,
  'payment.card.failed': true,
  'payment.card.requires.action': true,
  'payment.refund.success': true,
  'payment.refund.failed': true,
  'external.payment.success': true,
  'external.payment.failed': true,
  'external.subscribe.success': true,
  'external.subscribe.cancel.success': true,
  'external.payment.refund.success': true,
  'account.logout': true,
  'account.deactivated': true,
  'account.export.success': true,
  'account.erased': true,
};
export const eventTypes = Object.keys(named) as EventType[];

/** An event to publish: `dedupeKey` names the change it tells of, so that it is told once. */
export type NewEvent = {
  [Type in EventType]: {
    type: Type;
    accountId: number;
    dedupeKey: string;
    resource: z.output<Resources[Type]>;
    /** When it happened, in the merchant's time; absent: now. */
    at?: Date;
  };
}[EventType];

/** What the clients of wire C.4 know: some of them end at any other type, so their channels carry no other. */
export const clientTypes: ReadonlySet<string> = new Set([
  ...['payment.card.success', 'payment.card.failed', 'payment.card.requires.action'],
  ...['payment.ideal.success', 'payment.ideal.failed', 'payment.ideal.requires.action'],
  ...['subscribe.success', 'subscribe.failed', 'subscribe.requires.action'],
  ...['ideal.subscribe.success', 'ideal.subscribe.failed'],
  ...['subscribe.cancelled.success', 'subscribe.expired'],
  ...['external.payment.success', 'external.payment.failed'],
  ...['external.subscribe.success', 'external.subscribe.cancel.success'],
  ...['access.granted', 'access.revoked'],
  ...['account.logout', 'account.erased', 'account.deactivated'],
]);

/** One frame of the WebSocket, one element of the history. `id` orders a merchant's events by commit. */
export const EventMessage = z.object({
  id: z.int(),
  type: z.string(),
  timestamp: z.int(),
  merchant_uuid: z.uuid(),
  account_uuid: z.uuid(),
  resource: z.record(z.string(), z.unknown()),
});
export type EventMessage = z.output<typeof EventMessage>;
