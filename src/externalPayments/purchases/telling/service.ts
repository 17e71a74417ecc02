import { type NewEvent } from '../../../notifications/events';
import { amountText, formatAmount } from '../../../subscriptions/billing/money';
import { type PurchaseFacts, type StorePurchaseRow } from '../model';
import { presentPurchase } from '../presenter';

/** What happened to a purchase between two answers. */
export type Happening =
  | 'bought'
  | 'renewed'
  | 'converted'
  | 'recovered'
  | 'past_due'
  | 'on_hold'
  | 'paused'
  | 'plan_changed'
  | 'extended'
  | 'auto_renew_off'
  | 'auto_renew_on'
  | 'expired'
  | 'revoked'
  | 'replaced'
  | 'moved';

/** The events of what happened, for listeners (decisions 8, wire C.4); of access they are told apart. */
export function eventsOf(row: StorePurchaseRow, what: Happening, facts: PurchaseFacts, present: Date): NewEvent[] {
  const { accountId, token, sequence } = row;
  const about = { accountId, dedupeKey: `${token}:${sequence}:${what}` };
  const told = (status: string) => describePurchase(row, facts, { status, at: present });
  if (row.kind === 'one_time') {
    if (what !== 'revoked') return [];
    return [{ ...about, type: 'external.payment.refund.success', resource: told('refunded') }];
  }
  switch (what) {
    case 'renewed':
    case 'recovered':
      return [{ ...about, type: 'subscribe.renewed', resource: told('success') }];
    case 'converted':
      return [
        { ...about, type: 'trial.converted', resource: told('success') },
        { ...about, dedupeKey: `${about.dedupeKey}:renewed`, type: 'subscribe.renewed', resource: told('success') },
      ];
    case 'past_due':
      return [{ ...about, type: 'subscribe.past_due', resource: told('past_due') }];
    case 'auto_renew_off': {
      const resource = { ...told('canceled'), message: 'The subscription ends with its period.' };
      return [
        { ...about, type: 'subscribe.cancelled.success', resource },
        { ...about, dedupeKey: `${about.dedupeKey}:store`, type: 'external.subscribe.cancel.success', resource },
      ];
    }
    case 'expired':
    case 'replaced':
      return [{ ...about, type: 'subscribe.expired', resource: told('expired') }];
    case 'revoked':
      return [
        { ...about, type: 'external.payment.refund.success', resource: told('refunded') },
        { ...about, dedupeKey: `${about.dedupeKey}:expired`, type: 'subscribe.expired', resource: told('revoked') },
      ];
    case 'plan_changed':
    case 'on_hold':
    case 'paused':
    case 'extended':
    case 'auto_renew_on':
    case 'moved':
      return [{ ...about, type: 'subscribe.updated', resource: told(row.state) }];
    case 'bought':
      return [];
  }
}

/** What it cost at the store; where that does not tell, what the fee says. */
export function describePurchase(
  row: StorePurchaseRow,
  facts: PurchaseFacts,
  { status, at }: { status: string; at: Date },
) {
  const isTold = row.amountMinor !== null && row.currency !== null;
  const minor = isTold ? (row.amountMinor ?? 0) : row.isTrial ? 0 : facts.feeMinor;
  const currency = isTold ? (row.currency ?? facts.feeCurrency) : facts.feeCurrency;
  const amount = { plain: amountText(minor, currency), formatted: formatAmount(minor, currency), currency };
  return presentPurchase(row, facts, amount, { status, at });
}
