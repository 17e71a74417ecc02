import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type TimelineRow } from './timelines.model';
import { type Timeline } from './timelines.schemas';

type Entry = z.output<typeof Timeline>['collection'][number];
type Amount = Pick<Entry, 'amount' | 'amount_number'>;
type Run = Pick<Entry, 'workflow_id' | 'workflow_url'>;

export function presentEntry(row: TimelineRow, amount: Amount, run: Run): Entry {
  const { kind, type, title, reason, currency, reference, happenedAt } = row;
  return {
    kind,
    type,
    summary: title,
    reason,
    ...amount,
    currency_iso: currency,
    reference,
    ...run,
    happened_at: unixSeconds(happenedAt),
  };
}
