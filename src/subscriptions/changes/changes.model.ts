import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type Period } from '../../items/accessTypes.model';
import { liveStates } from '../subscriptions.model';

/** The properties of a fee that decide whether a subscription can switch to it. */
export interface SwitchTarget {
  isOfItem: boolean;
  isSubscription: boolean;
  isSameCurrency: boolean;
  isEnabled: boolean;
  /** Whether consumers may pay the difference with the next invoice. */
  isLaterAllowed: boolean;
  quantity: number;
  period: Period;
  /** Whether a direct debit pays for the subscription. */
  isDebit: boolean;
}

const switchStatement = statement<SwitchTarget>(
  'subscription_switch_target',
  `SELECT f.item_id = s.item_id AS "isOfItem", t.name = 'subscription' AS "isSubscription",
     f.currency = s.currency AS "isSameCurrency", i.plan_switch_enabled AS "isEnabled", i.next_invoice_enabled AS "isLaterAllowed",
     t.quantity, t.period, coalesce(c.method IN ('direct_debit', 'ideal', 'bancontact'), false) AS "isDebit"
   FROM subscriptions s
   LEFT JOIN cards c ON c.id = s.card_id
   JOIN access_fees f ON f.merchant_id = s.merchant_id AND f.id = $2
   JOIN access_types t ON t.id = f.access_type_id
   JOIN items i ON i.id = s.item_id
   JOIN items of_fee ON of_fee.id = f.item_id
   WHERE s.id = $1 AND f.retired_at IS NULL AND of_fee.is_active AND (f.starts_at IS NULL OR f.starts_at <= merchant_now(f.merchant_id))
     AND (f.expires_at IS NULL OR f.expires_at > merchant_now(f.merchant_id))`,
);

/** Undefined if the fee is not on sale or belongs to another merchant. */
export async function findSwitch(subscriptionId: number, accessFeeId: number): Promise<SwitchTarget | undefined> {
  const [found] = await switchStatement([subscriptionId, accessFeeId]);
  return found;
}

interface LiveRow {
  workflow: 'subscription' | 'payment';
  token: string;
  itemId: number;
  state: string;
}

const liveStatement = statement<LiveRow>(
  'purchases_live_of_merchant',
  `SELECT 'subscription' AS workflow, token, item_id AS "itemId", state FROM subscriptions WHERE merchant_id = $1
     AND state NOT IN ('incomplete_expired', 'canceled', 'expired')
   UNION ALL
   SELECT 'payment', token, item_id, state FROM payments WHERE merchant_id = $1 AND state = 'incomplete'`,
);

/** Subscriptions and payments whose workflow may be running. A revoked subscription may be restored. */
export function listLive(merchantId: number, inTransaction: Transaction) {
  return liveStatement([merchantId], inTransaction);
}

const unfinishedStatement = statement<{ isUnfinished: boolean }>(
  'purchases_unfinished_of_merchant',
  `SELECT EXISTS (SELECT FROM subscriptions WHERE merchant_id = $1 AND next_due_at <= merchant_now($1)
       AND state = ANY ($2))
     OR EXISTS (SELECT FROM payments WHERE merchant_id = $1 AND state = 'incomplete')
     OR EXISTS (SELECT FROM refunds WHERE merchant_id = $1 AND state = 'open') AS "isUnfinished"`,
);

/** Whether a step of a live subscription is due, a payment is open, or a refund is not sent yet. */
export async function hasUnfinishedRuns(merchantId: number): Promise<boolean> {
  const [row] = await unfinishedStatement([merchantId, liveStates]);
  return row?.isUnfinished ?? false;
}
