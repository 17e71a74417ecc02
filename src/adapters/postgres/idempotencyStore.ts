import { type IdempotencyStore, type KeyState } from '../../kit/idempotency';
import { statement } from './statement';

// A key whose process died before it answered is free again after two minutes, longer than any request may take.
const claimStatement = statement<{ claimed: boolean; request_hash: string; sealed_answer: Buffer | null }>(
  'idempotency_claim',
  `INSERT INTO idempotency_keys AS k (scope, key, request_hash) VALUES ($1, $2, $3)
   ON CONFLICT (scope, key) DO UPDATE SET
     request_hash = CASE WHEN k.claimed_at < now() - k.lifetime THEN excluded.request_hash ELSE k.request_hash END,
     sealed_answer = CASE WHEN k.claimed_at < now() - k.lifetime THEN NULL ELSE k.sealed_answer END,
     attempt = CASE WHEN k.claimed_at < now() - k.lifetime THEN 0 ELSE k.attempt + 1 END,
     lifetime = CASE WHEN k.claimed_at < now() - k.lifetime THEN excluded.lifetime ELSE k.lifetime END,
     claimed_at = CASE WHEN k.claimed_at < now() - k.lifetime THEN now() ELSE k.claimed_at END
   RETURNING attempt = 0 AS claimed, request_hash, sealed_answer`,
);
const answerStatement = statement(
  'idempotency_answer',
  `UPDATE idempotency_keys SET sealed_answer = $3, lifetime = interval '24 hours' WHERE scope = $1 AND key = $2`,
);
const releaseStatement = statement('idempotency_release', 'DELETE FROM idempotency_keys WHERE scope = $1 AND key = $2');

export const idempotencyStore: IdempotencyStore = {
  async claim(scope, key, requestHash): Promise<KeyState> {
    const [row] = await claimStatement([scope, key, requestHash]);
    if (!row || row.claimed) return { state: 'new' };
    if (row.request_hash !== requestHash) return { state: 'other_request' };
    return row.sealed_answer ? { state: 'answered', sealedAnswer: row.sealed_answer } : { state: 'running' };
  },
  async answer(scope, key, sealedAnswer) {
    await answerStatement([scope, key, sealedAnswer]);
  },
  async release(scope, key) {
    await releaseStatement([scope, key]);
  },
};
