import { type NewEvent } from '../../notifications/events';
import { amountText, formatAmount } from '../../billing/money';
import { type PurchaseFacts, type StorePurchaseRow } from './purchases.model';
import { presentPlanFailure, presentPurchase, presentRefundFailure } from './purchases.presenter';

/** A change of a purchase between two answers of its store. */
export type PurchaseChange =
  | 'bought'
  | 'renewed'
  | 'converted'
  | 'recovered'
  | 'past_due'
  | 'on_hold'
  | 'paused'
  | 'plan_changed'
  | 'plan_unknown'
  | 'refund_reversed'
  | 'extended'
  | 'auto_renew_off'
  | 'auto_renew_on'
  | 'expired'
  | 'revoked'
  | 'replaced'
  | 'moved';

/** The events of a change. Events about access are published separately. */
export function eventsOf(row: StorePurchaseRow, what: PurchaseChange, facts: PurchaseFacts, present: Date): NewEvent[] {
  const { accountId, token, sequence } = row;
  const about = { accountId, dedupeKey: `${token}:${sequence}:${what}` };
  if (what === 'refund_reversed') return [refundFailure(row, about.dedupeKey, reversed)];
  const describe = (status: string) => describePurchase(row, facts, { status, at: present });
  const isOnce = row.kind === 'one_time';
  if (what === 'plan_unknown' && !isOnce)
    return [{ ...about, type: 'external.subscribe.update.failed', resource: presentPlanFailure(row, unknownPlan) }];
  if (what === 'auto_renew_off' && !isOnce) {
    const resource = { ...describe('canceled'), message: 'The subscription ends with its period.' };
    return [
      { ...about, type: 'subscribe.cancelled.success', resource },
      { ...about, dedupeKey: `${about.dedupeKey}:store`, type: 'external.subscribe.cancel.success', resource },
    ];
  }
  const events = (isOnce ? eventsOfOneTime : eventsOfSubscription)[what] ?? [];
  return events.map(({ type, status = row.state, suffix = '' }) => ({
    ...about,
    dedupeKey: about.dedupeKey + suffix,
    type,
    resource: describe(status),
  }));
}

interface PurchaseEvent {
  type:
    | 'external.payment.refund.success'
    | 'external.subscribe.update.success'
    | 'subscribe.expired'
    | 'subscribe.past_due'
    | 'subscribe.renewed'
    | 'subscribe.updated'
    | 'trial.converted';
  /** The status in the resource; absent: the state of the purchase. */
  status?: string;
  /** Distinguishes the events of one change. */
  suffix?: string;
}

type EventsByChange = Partial<Record<PurchaseChange, readonly PurchaseEvent[]>>;

const refunded: PurchaseEvent = { type: 'external.payment.refund.success', status: 'refunded' };
const renewed: PurchaseEvent = { type: 'subscribe.renewed', status: 'success' };
const expired: PurchaseEvent = { type: 'subscribe.expired', status: 'expired' };
const updated: PurchaseEvent = { type: 'subscribe.updated' };

const eventsOfOneTime: EventsByChange = { revoked: [refunded] };

const eventsOfSubscription: EventsByChange = {
  renewed: [renewed],
  recovered: [renewed],
  converted: [
    { type: 'trial.converted', status: 'success' },
    { ...renewed, suffix: ':renewed' },
  ],
  past_due: [{ type: 'subscribe.past_due', status: 'past_due' }],
  expired: [expired],
  replaced: [expired],
  revoked: [refunded, { ...expired, status: 'revoked', suffix: ':expired' }],
  plan_changed: [updated, { type: 'external.subscribe.update.success', suffix: ':store' }],
  on_hold: [updated],
  paused: [updated],
  extended: [updated],
  auto_renew_on: [updated],
  moved: [updated],
};

const unknownPlan = 'The store has changed the subscription to a product that no access fee is mapped to.';
export const reversed = 'The store has taken the refund back.';
export const declined = 'The store has declined the refund.';

/** A refund that was declined or reversed. */
export function refundFailure(row: StorePurchaseRow, dedupeKey: string, message: string): NewEvent {
  const resource = presentRefundFailure(row, message);
  return { accountId: row.accountId, dedupeKey, type: 'external.payment.refund.failed', resource };
}

/** The purchase with its price at the store, or the fee's price if the store reports none. */
export function describePurchase(
  row: StorePurchaseRow,
  facts: PurchaseFacts,
  { status, at }: { status: string; at: Date },
) {
  const isTold = row.amountMinor !== null && row.currency !== null;
  const minor = isTold ? (row.amountMinor ?? 0) : row.isTrial ? 0 : facts.feeMinor;
  const currency = isTold ? (row.currency ?? facts.feeCurrency) : facts.feeCurrency;
  return presentPurchase(row, facts, shownAmount(minor, currency), { status, at });
}

/** A refunded payment of any period. */
export function describeRefund(
  row: StorePurchaseRow,
  facts: PurchaseFacts,
  { amountMinor, currency, at }: { amountMinor: number; currency: string; at: Date },
) {
  return presentPurchase(row, facts, shownAmount(amountMinor, currency), { status: 'refunded', at });
}

function shownAmount(minor: number, currency: string) {
  return { plain: amountText(minor, currency), formatted: formatAmount(minor, currency), currency };
}
