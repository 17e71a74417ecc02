import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { paymentMethods } from '../kit/paymentMethods';
import { type StoreSubscription } from './inStores.model';
import { type ShownSubscription, type SubscriptionFacts, type SubscriptionState } from './subscriptions.model';
import { type SubscriptionResponse } from './subscriptions.schemas';

/** The price in the major unit, and as text with its currency. */
export interface PriceFacts {
  major: number;
  formatted: string;
  charged: number;
  /** The customer's balance in the currency: positive for credit, negative for a debt. */
  balance: number;
  /** The price of the next charge with its discounts; 0 after the end, or if the plan changes before. */
  next: number;
  cancelToken: string;
  /** Absolute. For an app store's subscription, the endpoint returns the URL of the store's own page. */
  unsubscribeUrl: string;
}

/** The fields that subscriptions paid by card and subscriptions in an app store share. */
type AnySubscription = Pick<
  SubscriptionFacts,
  'id' | 'token' | 'itemId' | 'accessFeeId' | 'merchantId' | 'accountId' | 'currency' | 'autoRenew'
> &
  Pick<SubscriptionFacts, 'canceledAt' | 'resumesAt' | 'createdAt' | 'updatedAt'>;

function presentCommon(row: AnySubscription, item: { title: string; type: string }, price: PriceFacts) {
  return {
    subscription_id: row.token,
    id: row.id,
    cancel_token: price.cancelToken,
    item_id: row.itemId,
    asset_id: row.itemId,
    item_title: item.title,
    asset_title: item.title,
    item_type: item.type,
    access_fee_id: row.accessFeeId,
    formatted_amount: price.formatted,
    charged_amount: price.charged,
    subscription_price: price.major,
    currency: row.currency,
    merchant_id: row.merchantId,
    account_id: row.accountId,
    cancel_at_period_end: !row.autoRenew,
    canceled_at: unixSeconds(row.canceledAt),
    resumes_at: unixSeconds(row.resumesAt),
    balance: price.balance,
    next_amount: price.next,
    unsubscribe_url: price.unsubscribeUrl,
    created_at: unixSeconds(row.createdAt),
    updated_at: unixSeconds(row.updatedAt),
  };
}

/** The older vocabulary of states; clients map unknown values to "terminated". */
const actionTypes: Record<SubscriptionState, string> = {
  incomplete: 'incomplete',
  incomplete_expired: 'incomplete_expired',
  trialing: 'free-trial',
  active: 'recurrent',
  past_due: 'recurrent',
  on_hold: 'recurrent',
  paused: 'paused',
  canceled: 'ended',
  expired: 'ended',
  revoked: 'ended',
};

/** `isBilledNext`: a charge is due at the end of the period. */
export function presentSubscription(
  row: ShownSubscription,
  price: PriceFacts & { isBilledNext: boolean; shown: z.output<typeof SubscriptionResponse>['shown_price'] },
): z.output<typeof SubscriptionResponse> {
  const { state, autoRenew } = row;
  const isRunning = state === 'active' || state === 'trialing';
  const periodEnd = unixSeconds(row.currentPeriodEnd);
  const nextBilling = price.isBilledNext ? periodEnd : 0;
  const { periodQuantity: quantity, period } = row;
  return {
    ...presentCommon(row, { title: row.itemTitle, type: row.itemType }, price),
    status: state,
    action_type: isRunning && !autoRenew ? 'canceled' : actionTypes[state],
    description: row.description,
    access_type: { id: row.accessTypeId, name: 'subscription', quantity, period },
    payment_method_name: paymentMethods[row.method ?? 'card'].title,
    payment_tool_info: row.lastFour ?? '',
    voucher_code: row.voucherCode,
    trial_end: unixSeconds(row.trialEnd),
    current_period_start: unixSeconds(row.currentPeriodStart),
    current_period_end: periodEnd,
    next_billing_date: nextBilling,
    next_rebill_date: nextBilling,
    ended_at: unixSeconds(row.endedAt),
    failure_reason: row.failureReason ?? '',
    pauses_at_period_end: row.pauseAtPeriodEnd,
    grace_ends_at: state === 'revoked' ? 0 : unixSeconds(row.graceEndsAt),
    next_retry_at: state === 'revoked' ? 0 : unixSeconds(row.nextRetryAt),
    pending_access_fee_id: row.pendingAccessFeeId ?? 0,
    ...(row.addedTax && { tax_behavior: 'exclusive' as const, shown_price: price.shown }),
    ...presentOffered(row),
  };
}

function presentOffered({ offerPercent, offerTo, discountCycle }: ShownSubscription) {
  const left = Math.max(0, (offerTo ?? 0) - discountCycle);
  return { offer_percent: left === 0 ? 0 : (offerPercent ?? 0), offer_charges_left: left };
}

type Status = z.output<typeof SubscriptionResponse>['status'];

function statusOf({ state, isTrial }: StoreSubscription): Status {
  if (state === 'pending') return 'incomplete';
  if (state === 'grace') return 'past_due';
  return state === 'active' && isTrial ? 'trialing' : state;
}

/** The same fields as for a subscription paid by card. */
export function presentStoreSubscription(
  row: StoreSubscription,
  price: PriceFacts & { methodName: string },
): z.output<typeof SubscriptionResponse> {
  const status = statusOf(row);
  const isRunning = status === 'active' || status === 'trialing';
  const ends = unixSeconds(row.expiresAt);
  const nextBilling = isRunning && row.autoRenew ? ends : 0;
  return {
    ...presentCommon(row, { title: row.itemTitle, type: row.itemType }, price),
    status,
    action_type: isRunning && !row.autoRenew ? 'canceled' : actionTypes[status],
    description: row.description,
    access_type: { id: row.accessTypeId, name: 'subscription', quantity: row.quantity, period: row.period },
    payment_method_name: price.methodName,
    payment_tool_info: '',
    voucher_code: '',
    trial_end: row.isTrial ? ends : 0,
    current_period_start: unixSeconds(row.periodStartsAt),
    current_period_end: ends,
    next_billing_date: nextBilling,
    next_rebill_date: nextBilling,
    ended_at: status === 'revoked' ? unixSeconds(row.revokedAt) : status === 'expired' ? ends : 0,
    failure_reason: '',
    pauses_at_period_end: false,
    grace_ends_at: unixSeconds(row.graceEndsAt),
    next_retry_at: 0,
    pending_access_fee_id: 0,
    next_amount: isRunning ? price.next : 0,
    offer_percent: 0,
    offer_charges_left: 0,
  };
}
