import { type CounterStore } from '../../kit/rateLimit';
import { statement } from './statement';

const addStatement = statement<{ key: string; count: number }>(
  'rate_limit_add',
  `INSERT INTO rate_limits AS r (key, window_starts_at, count)
   SELECT key, $3::timestamptz, count FROM unnest($1::text[], $2::int[]) AS sent (key, count) ORDER BY key
   ON CONFLICT (key) DO UPDATE SET
     count = CASE WHEN r.window_starts_at = excluded.window_starts_at THEN r.count + excluded.count ELSE excluded.count END,
     window_starts_at = excluded.window_starts_at
   RETURNING key, count`,
);

/** Counters for all replicas. Keys are sorted so that two replicas never lock each other. */
export const counterStore: CounterStore = {
  async add(counts, windowStartsAt) {
    const rows = await addStatement([[...counts.keys()], [...counts.values()], windowStartsAt]);
    return new Map(rows.map(({ key, count }) => [key, count]));
  },
};
