import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type SubscriptionResponse } from '../schemas';
import { type StoreSubscription } from './model';

/** As a price is shown: in the major unit, and as people read it. */
export interface ShownPrice {
  major: number;
  formatted: string;
  charged: number;
  /** Absolute. Asked, it says where the store's own page is. */
  unsubscribeUrl: string;
  methodName: string;
}

type Status = z.output<typeof SubscriptionResponse>['status'];

const actionTypes: Partial<Record<Status, string>> = {
  incomplete: 'incomplete',
  trialing: 'free-trial',
  active: 'recurrent',
  past_due: 'recurrent',
  on_hold: 'recurrent',
  paused: 'paused',
};

function statusOf({ state, isTrial }: StoreSubscription): Status {
  if (state === 'pending') return 'incomplete';
  if (state === 'grace') return 'past_due';
  return state === 'active' && isTrial ? 'trialing' : state;
}

/** The same row as of one that is paid by card (wire B.7). */
export function presentStoreSubscription(
  row: StoreSubscription,
  price: ShownPrice,
): z.output<typeof SubscriptionResponse> {
  const status = statusOf(row);
  const isRunning = status === 'active' || status === 'trialing';
  const ends = unixSeconds(row.expiresAt);
  const nextBilling = isRunning && row.autoRenew ? ends : 0;
  return {
    subscription_id: row.token,
    id: row.id,
    status,
    action_type: isRunning && !row.autoRenew ? 'canceled' : (actionTypes[status] ?? 'ended'),
    cancel_token: row.token,
    description: row.description,
    item_id: row.itemId,
    asset_id: row.itemId,
    item_title: row.itemTitle,
    asset_title: row.itemTitle,
    item_type: row.itemType,
    access_fee_id: row.accessFeeId,
    access_type: { id: row.accessTypeId, name: 'subscription', quantity: row.quantity, period: row.period },
    formatted_amount: price.formatted,
    charged_amount: price.charged,
    subscription_price: price.major,
    currency: row.currency,
    merchant_id: row.merchantId,
    account_id: row.accountId,
    payment_method_name: price.methodName,
    payment_tool_info: '',
    voucher_code: '',
    trial_end: row.isTrial ? ends : 0,
    current_period_start: unixSeconds(row.periodStartsAt),
    current_period_end: ends,
    next_billing_date: nextBilling,
    next_rebill_date: nextBilling,
    cancel_at_period_end: !row.autoRenew,
    canceled_at: unixSeconds(row.canceledAt),
    ended_at: status === 'revoked' ? unixSeconds(row.revokedAt) : status === 'expired' ? ends : 0,
    failure_reason: '',
    pauses_at_period_end: false,
    resumes_at: unixSeconds(row.resumesAt),
    grace_ends_at: unixSeconds(row.graceEndsAt),
    next_retry_at: 0,
    pending_access_fee_id: 0,
    unsubscribe_url: price.unsubscribeUrl,
    created_at: unixSeconds(row.createdAt),
    updated_at: unixSeconds(row.updatedAt),
  };
}
