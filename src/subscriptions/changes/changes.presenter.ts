import { type z } from 'zod';
import { Answer } from '../../kit/endpoint';
import { message } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
import { type TaxPart } from '../../tax/taxQuotes.schemas';
import { type Subscription } from '../subscriptions.model';
import { type CancelReply, type PendingChange, type SwitchPreview, type WaitingMethod } from './changes.schemas';

export function presentCancel(row: Subscription, at: Date): z.output<typeof CancelReply> {
  return {
    code: 200,
    subscription: row.token,
    operation: 'unsubscribe',
    description: row.accessFee?.description ?? '',
    status: 'pending',
    timestamp: unixSeconds(at),
  };
}

export function presentPending({ token }: Pick<Subscription, 'token'>): Answer<z.output<typeof PendingChange>> {
  const url = `/subscriptions/${token}`;
  const body = { ...message('The change is under way', 202), subscription_id: token, status: 'pending' as const, url };
  return new Answer(body, { headers: { Location: url }, isPending: true });
}

/** The page on which the payer agrees to later charges. */
export function presentWaitingMethod(
  { token }: Pick<Subscription, 'token'>,
  { reference, redirectUrl }: { reference: string; redirectUrl: string },
): Answer<z.output<typeof WaitingMethod>> {
  const waits = { subscription_id: token, status: 'requires_action' as const, redirect_to_url: redirectUrl };
  const body = { ...message('The payer must agree on the page', 202), ...waits, pi_id: reference };
  return new Answer(body, { isPending: true });
}

/** The amounts of a plan change, in the major unit. */
export interface ShownQuote {
  mode: z.output<typeof SwitchPreview>['mode'];
  from: string;
  to: string;
  credit: number;
  charge: number;
  total: number;
  formattedTotal: string;
  balance: number;
  startsAt: Date;
  tax: z.output<typeof TaxPart>;
}

export function presentPreview(currency: string, quote: ShownQuote): z.output<typeof SwitchPreview> {
  const lines = [
    { description: `Unused time of ${quote.from}`, amount: quote.credit === 0 ? 0 : -quote.credit },
    { description: quote.to, amount: quote.charge },
  ];
  return {
    mode: quote.mode,
    lines: lines.filter(({ amount }) => amount !== 0),
    total: quote.total,
    formatted_total: quote.formattedTotal,
    balance: quote.balance,
    currency,
    date: unixSeconds(quote.startsAt),
    ...quote.tax,
  };
}
