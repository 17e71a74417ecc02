import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type Subscription } from '../model';
import { type CancelReply, type SwitchPreview } from './schemas';

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

/** What a change of plans costs, in the currency's major unit. */
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
  };
}
