import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type TimelineRow } from './model';
import { type Timeline } from './schemas';

type Entry = z.output<typeof Timeline>['collection'][number];
type Run = Pick<Entry, 'workflow_id' | 'workflow_url'>;

/** What an event tells of itself is what clients get; of that a few words. */
export function presentEntry({ kind, type, resource, happenedAt }: TimelineRow, reference: string, run: Run): Entry {
  const item = resource['item'] as { title?: unknown } | undefined;
  return {
    kind,
    type,
    summary: text(resource['previewTitle']) || text(item?.title) || text(resource['message']),
    amount: text(resource['formatted_amount']),
    reference,
    ...run,
    happened_at: unixSeconds(happenedAt),
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
