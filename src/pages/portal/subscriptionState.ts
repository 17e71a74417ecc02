import { html, type Html } from '../../kit/html';
import { findMethodName } from '../../kit/paymentMethods';
import { type subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { periodText } from '../customer/fees';
import { failureText } from '../customer/failures';
import { type AnswerOf } from '../layout/answers';
import { type Texts } from '../layout/texts';

/** The state of a subscription as text. */

export type SubscriptionRow = AnswerOf<typeof subscriptionEndpoints.getSubscription>;

export const isOver = ({ status }: Pick<SubscriptionRow, 'status'>) =>
  ['canceled', 'expired', 'revoked', 'incomplete_expired'].includes(status);
export const isUnpaid = ({ status }: Pick<SubscriptionRow, 'status'>) => status === 'past_due' || status === 'on_hold';
export const isRunning = ({ status }: Pick<SubscriptionRow, 'status'>) => status === 'active' || status === 'trialing';
/** A subscription of an app store is managed in the store. */
export const isOfStore = ({ payment_method_name }: Pick<SubscriptionRow, 'payment_method_name'>) =>
  findMethodName(payment_method_name) === undefined;

const kinds: Partial<Record<SubscriptionRow['status'], string>> = {
  active: 'good',
  trialing: 'note',
  past_due: 'bad',
  on_hold: 'bad',
  paused: 'warn',
  incomplete: 'warn',
};

export function stateBadge({ t }: Texts, row: SubscriptionRow): Html {
  if (isRunning(row) && row.pauses_at_period_end)
    return html`<span class="badge warn">${t('portal.states.pausing')}</span>`;
  if (isRunning(row) && row.cancel_at_period_end)
    return html`<span class="badge warn">${t('portal.states.ending')}</span>`;
  return html`<span class="badge ${kinds[row.status] ?? ''}">${t(`portal.states.${row.status}`)}</span>`;
}

/** `€9.99 every month`, `€9.99 every month plus tax`. */
export function rateOf(texts: Texts, row: SubscriptionRow): string {
  const { quantity, period } = row.access_type;
  const time = periodText(texts, quantity, period);
  return plusTax(texts, row, (price) => texts.t('paywall.priceEvery', { price, time }));
}

/** What the next charge takes. Before a change of the plan, the price of the present plan. */
export function priceOf(texts: Texts, row: SubscriptionRow): string {
  if (row.pending_access_fee_id === 0) return texts.money(row.next_amount, row.currency);
  return plusTax(texts, row, (price) => price);
}

/** The price in the form of the customer's country. */
function plusTax(
  { t, money }: Texts,
  { subscription_price, currency, shown_price: shown }: SubscriptionRow,
  describe: (price: string) => string,
): string {
  const price = describe(money(shown?.amount ?? subscription_price, currency));
  return shown?.with_tax === false ? t('paywall.plusTax', { price }) : price;
}

/** The next event of the subscription, in one or two sentences. */
export function outlook(texts: Texts, row: SubscriptionRow): string {
  const { t, date } = texts;
  const end = date(row.current_period_end);
  const resumes = row.resumes_at === 0 ? undefined : date(row.resumes_at);
  switch (row.status) {
    case 'active':
      if (row.pauses_at_period_end)
        return t(`portal.subscriptions.${resumes === undefined ? 'pauses' : 'pausesUntil'}`, {
          date: end,
          resumes: resumes ?? '',
        });
      if (row.cancel_at_period_end) return t('portal.subscriptions.ends', { date: end });
      // By the next charge, a pending plan with another price applies.
      if (row.pending_access_fee_id !== 0) return t('portal.subscriptions.renewsAt', { date: end });
      return t(`portal.subscriptions.${renewal(row)}`, { date: end, price: priceOf(texts, row) });
    case 'trialing':
      if (row.cancel_at_period_end) return t('portal.subscriptions.trialEnds', { date: end });
      return t('portal.subscriptions.trialRenews', { date: end, price: rateOf(texts, row) });
    case 'past_due':
      return unpaid(texts, row, t('portal.subscriptions.pastDue', { date: date(row.grace_ends_at) }));
    case 'on_hold':
      return unpaid(texts, row, t('portal.subscriptions.onHold'));
    case 'paused':
      if (resumes === undefined) return t('portal.subscriptions.isPaused');
      return t('portal.subscriptions.isPausedUntil', { resumes });
    case 'incomplete':
      return t('portal.subscriptions.incomplete');
    case 'incomplete_expired':
      return t('portal.subscriptions.neverBegan');
    case 'canceled':
    case 'expired':
    case 'revoked':
      return t('portal.subscriptions.ended', { date: date(row.ended_at) });
  }
}

/**
 * The text about the renewal. The next charge settles the balance, except for a store's subscription, because the store
 * does not know the balance.
 */
function renewal(row: SubscriptionRow): 'renews' | 'renewsWithCredit' | 'renewsWithDebt' {
  if (row.balance === 0 || isOfStore(row)) return 'renews';
  return row.balance > 0 ? 'renewsWithCredit' : 'renewsWithDebt';
}

function unpaid({ t, date }: Texts, row: SubscriptionRow, opening: string): string {
  if (isOfStore(row)) return opening;
  const next =
    row.next_retry_at === 0
      ? t('portal.subscriptions.noRetry')
      : t('portal.subscriptions.retries', { date: date(row.next_retry_at) });
  return `${opening} ${next}`;
}

/** The reason of a failed payment. Empty without one. */
export function failureOf(
  texts: Texts,
  { failure_reason: reason, payment_method_name: method }: SubscriptionRow,
): string {
  return failureText(texts, reason, method);
}
