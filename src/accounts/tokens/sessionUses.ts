import { statement } from '../../adapters/postgres/statement';

/**
 * The last uses of sessions. They are collected and written together, so that a request does not wait for the write.
 */
const uses = new Map<string, number>();

export function noteUse(sessionId: string, atMs: number): void {
  uses.set(sessionId, atMs);
}

// Skips a session that another process is changing. Its next use is recorded again.
const usesStatement = statement(
  'session_uses',
  `UPDATE sessions s SET last_used_at = greatest(s.last_used_at, used.at)
   FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at)
   WHERE s.id = used.id AND s.id IN (
     SELECT id FROM sessions WHERE id = ANY($1) AND revoked_at IS NULL ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)`,
);

export async function writeSessionUses(): Promise<void> {
  if (uses.size === 0) return;
  const written = [...uses];
  uses.clear();
  await usesStatement([written.map(([id]) => id), written.map(([, atMs]) => new Date(atMs))]);
}
