import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type Subscription, type SubscriptionState } from './model';
import { type SubscriptionResponse } from './schemas';

/** The row's price: in the major unit, and as people read it. */
export interface ShownPrice {
  major: number;
  formatted: string;
  charged: number;
  /** The period's end brings a charge. */
  isBilledNext: boolean;
  /** Absolute. */
  unsubscribeUrl: string;
}

/** The older vocabulary of states (wire B.7); clients map what they do not know to "terminated". */
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

export function presentSubscription(row: Subscription, price: ShownPrice): z.output<typeof SubscriptionResponse> {
  const title = row.item?.title ?? '';
  const isRunning = row.state === 'active' || row.state === 'trialing';
  const nextBilling = price.isBilledNext ? unixSeconds(row.currentPeriodEnd) : 0;
  return {
    subscription_id: row.token,
    id: row.id,
    status: row.state,
    action_type: isRunning && !row.autoRenew ? 'canceled' : actionTypes[row.state],
    cancel_token: row.token,
    description: row.accessFee?.description ?? '',
    item_id: row.itemId,
    asset_id: row.itemId,
    item_title: title,
    asset_title: title,
    item_type: row.item?.itemType ?? '',
    access_fee_id: row.accessFeeId,
    access_type: {
      id: row.accessFee?.accessTypeId ?? 0,
      name: 'subscription',
      quantity: row.periodQuantity,
      period: row.period,
    },
    formatted_amount: price.formatted,
    charged_amount: price.charged,
    subscription_price: price.major,
    currency: row.currency,
    merchant_id: row.merchantId,
    account_id: row.accountId,
    payment_method_name: 'Card',
    payment_tool_info: row.card?.lastFour ?? '',
    voucher_code: row.voucherCode,
    trial_end: unixSeconds(row.trialEnd),
    current_period_start: unixSeconds(row.currentPeriodStart),
    current_period_end: unixSeconds(row.currentPeriodEnd),
    next_billing_date: nextBilling,
    next_rebill_date: nextBilling,
    cancel_at_period_end: !row.autoRenew,
    canceled_at: unixSeconds(row.canceledAt),
    ended_at: unixSeconds(row.endedAt),
    failure_reason: row.failureReason ?? '',
    pauses_at_period_end: row.pauseAtPeriodEnd,
    resumes_at: unixSeconds(row.resumesAt),
    grace_ends_at: row.state === 'revoked' ? 0 : unixSeconds(row.graceEndsAt),
    next_retry_at: row.state === 'revoked' ? 0 : unixSeconds(row.nextRetryAt),
    pending_access_fee_id: row.pendingAccessFeeId ?? 0,
    unsubscribe_url: price.unsubscribeUrl,
    created_at: unixSeconds(row.createdAt),
    updated_at: unixSeconds(row.updatedAt),
  };
}
