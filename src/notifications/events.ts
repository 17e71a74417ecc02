import { z } from 'zod';

/** Event types and their resources, as existing clients read them. */

/** The resource of a payment's events. `amount` is text with the currency's decimals; times are Unix seconds. */
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
  /** The referrer of the purchase, as reported by its app. */
  referrer: z.string(),
  /** The tax within `amount`, if it was decided: text as `amount`, and the rate in percent. */
  net_amount: z.string().optional(),
  tax_amount: z.string().optional(),
  tax_rate: z.number().optional(),
  tax_country: z.string().optional(),
});
export type PaymentResource = z.output<typeof PaymentResource>;

/** One client reads `message`, webhooks read the payment. The resource therefore contains both. */
export const CancelledResource = PaymentResource.extend({ message: z.string() });

/** The item and the referrer of a failed purchase. */
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

/**
 * A declined charge of a running subscription. Each attempt publishes one event. `timestamp` is in milliseconds here.
 */
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

/** A purchase in a store that gave no access. `explain` is plain text here; `reason` is for programs. */
export const ExternalFailureResource = z.object({
  account_id: z.int(),
  external_payment_id: z.string(),
  code: z.literal(422),
  message: z.string(),
  explain: z.string(),
  extras: Extras,
  reason: z.string(),
});

/** A store's refund that was declined or reversed. `transaction` is the purchase's token. */
export const ExternalRefundFailureResource = FailureResource.extend({ transaction: z.string() });

/** A purchase in a store: its payment, and the claim of the app. */
export const ExternalPaymentResource = PaymentResource.extend({ external_payment_id: z.string() });

export const ActionResource = z.object({
  subscription_id: z.string(),
  redirect_to_url: z.string(),
  pi_id: z.string(),
});

/** A one-time payment. `transaction` is its `C-…` token. */
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

/** A refund. `transaction` is the id of the refunded payment, and `amount` the refunded amount. */
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

/** `package_collection`: the packages that contain the item. */
export const AccessEndedResource = z.object({ item_id: z.int(), package_collection: z.array(z.int()).optional() });

/** Sent only to the session that ended. */
export const LogoutResource = z.object({ reason: z.string(), session_id: z.uuid() });

/** An account in the form that merchants' back ends read. */
export const CustomerResource = z.object({
  id: z.int(),
  uuid: z.string(),
  merchant_id: z.int(),
  merchant_uuid: z.string(),
  username: z.string(),
  email: z.string(),
  full_name: z.string(),
  date_of_birth: z.int(),
  referrer: z.string(),
  active: z.boolean(),
  completed: z.boolean(),
  created_at: z.int(),
  updated_at: z.int(),
});

export type CustomerResource = z.output<typeof CustomerResource>;

export const CustomerPasswordResource = z.object({
  merchant_id: z.int(),
  customer_id: z.int(),
  email: z.string(),
  timestamp: z.int(),
});

/** The resource of each event type. */
interface Resources {
  'customer.registered': typeof CustomerResource;
  'customer.updated': typeof CustomerResource;
  'customer.password.updated': typeof CustomerPasswordResource;
  'access.granted': typeof AccessResource;
  'access.revoked': typeof AccessEndedResource;
  'subscribe.pending': typeof PaymentResource;
  'subscribe.success': typeof PaymentResource;
  'subscribe.failed': typeof FailureResource;
  'subscribe.requires.action': typeof ActionResource;
  'ideal.subscribe.success': typeof PaymentResource;
  'ideal.subscribe.failed': typeof FailureResource;
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
  'payment.ideal.success': typeof OneTimePaymentResource;
  'payment.ideal.failed': typeof PaymentFailureResource;
  'payment.ideal.requires.action': typeof PaymentActionResource;
  'payment.refund.success': typeof RefundResource;
  'payment.refund.failed': typeof RefundFailureResource;
  'external.payment.success': typeof ExternalPaymentResource;
  'external.payment.failed': typeof ExternalFailureResource;
  'external.subscribe.success': typeof PaymentResource;
  'external.subscribe.failed': typeof FailureResource;
  'external.subscribe.update.success': typeof PaymentResource;
  'external.subscribe.update.failed': typeof FailureResource;
  'external.subscribe.cancel.success': typeof CancelledResource;
  'external.payment.refund.success': typeof PaymentResource;
  'external.payment.refund.failed': typeof ExternalRefundFailureResource;
  'account.logout': typeof LogoutResource;
  /** Without fields, because the type alone makes the app sign out. */
  'account.deactivated': z.ZodObject<Record<never, never>>;
  'account.export.success': z.ZodObject<Record<never, never>>;
  'account.erased': z.ZodObject<Record<never, never>>;
}

export type EventType = keyof Resources;

/** The event types as values. A missing type does not compile. */
const named: Record<EventType, true> = {
  'customer.registered': true,
  'customer.updated': true,
  'customer.password.updated': true,
  'access.granted': true,
  'access.revoked': true,
  'subscribe.pending': true,
  'subscribe.success': true,
  'subscribe.failed': true,
  'subscribe.requires.action': true,
  'ideal.subscribe.success': true,
  'ideal.subscribe.failed': true,
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
  'payment.ideal.success': true,
  'payment.ideal.failed': true,
  'payment.ideal.requires.action': true,
  'payment.refund.success': true,
  'payment.refund.failed': true,
  'external.payment.success': true,
  'external.payment.failed': true,
  'external.subscribe.success': true,
  'external.subscribe.failed': true,
  'external.subscribe.update.success': true,
  'external.subscribe.update.failed': true,
  'external.subscribe.cancel.success': true,
  'external.payment.refund.success': true,
  'external.payment.refund.failed': true,
  'account.logout': true,
  'account.deactivated': true,
  'account.export.success': true,
  'account.erased': true,
};
export const eventTypes = Object.keys(named) as EventType[];

/**
 * Event types that only webhooks receive, because apps of customers do not know them. They are not written for a
 * merchant without webhooks.
 */
export const webhookOnlyTypes: readonly EventType[] = [
  'customer.registered',
  'customer.updated',
  'customer.password.updated',
  'subscribe.pending',
  'external.subscribe.failed',
  'external.subscribe.update.success',
  'external.subscribe.update.failed',
  'external.payment.refund.failed',
];

/**
 * Event types that back ends may use in a webhook's filter but that this product never sends. A cancellation succeeds
 * or fails in its own response, and a store purchase is canceled at its store. The webhook's response lists them as
 * `never_sent`.
 */
export const neverSent = ['subscribe.cancelled.failed', 'external.subscribe.cancel.failed'] as const;
const otherNames: ReadonlyMap<string, EventType> = new Map([
  ['asset.access.granted', 'access.granted'],
  ['asset.access.revoked', 'access.revoked'],
]);

/** An event type in a webhook's filter. A name of the form format is converted to the type's own name. */
export const SubscribedType = z.preprocess(
  (type) => (typeof type === 'string' ? (otherNames.get(type) ?? type) : type),
  z.enum([...eventTypes, ...neverSent]),
);

/** An event to publish. `dedupeKey` is unique to the change, so that its event is published once. */
export type NewEvent = {
  [Type in EventType]: {
    type: Type;
    accountId: number;
    dedupeKey: string;
    resource: z.output<Resources[Type]>;
    /** The time of the event, in the merchant's time; by default now. */
    at?: Date;
  };
}[EventType];

/** One frame of the WebSocket, or one element of the history. `id` numbers a merchant's events in commit order. */
export const EventMessage = z.object({
  id: z.int(),
  type: z.string(),
  timestamp: z.int(),
  merchant_uuid: z.uuid(),
  account_uuid: z.uuid(),
  resource: z.record(z.string(), z.unknown()),
});
export type EventMessage = z.output<typeof EventMessage>;
