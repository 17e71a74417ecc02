import { createHash } from 'node:crypto';
import { AppError } from '../kit/errors';
import { statementApart } from './postgres/statement';

const countStatement = statementApart<{ count: number; seconds_left: number }>(
  'hourly_count',
  `INSERT INTO hourly_counts AS h (key, hour_starts_at, count) VALUES ($1, now(), 1)
   ON CONFLICT (key) DO UPDATE SET
     count = CASE WHEN h.hour_starts_at > now() - interval '1 hour' THEN h.count + 1 ELSE 1 END,
     hour_starts_at = CASE WHEN h.hour_starts_at > now() - interval '1 hour' THEN h.hour_starts_at ELSE now() END
   RETURNING count, ceil(extract(epoch FROM hour_starts_at + interval '1 hour' - now()))::int AS seconds_left`,
);

/**
 * Counts one use of the subject that `parts` identify, over all replicas, and refuses uses above the hourly limit. Only
 * a hash is stored, because the parts may be personal data.
 */
export async function countHourly(parts: readonly (string | number)[], limit: number): Promise<void> {
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  const [row] = await countStatement([key]);
  if (row && row.count > limit) throw new AppError('too_many_requests', { retryAfterSeconds: row.seconds_left });
}
