import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../kit/errors';
import { askStore } from './ask';

/** Key sets (RFC 7517) by their address. Their owners change them every few days. */
const keySets = new LRUCache<string, { keys: Map<string, KeyObject>; readAtMs: number }>({ max: 10, ttl: 3_600_000 });
/** The shortest time between two reads of a set because of an unknown key. */
const lookAgainMs = 60_000;

/** The key that a store publishes under `kid`. Throws `service_unavailable` while the set cannot be read. */
export async function findPublishedKey(url: string, kid: string, timeoutMs: number): Promise<KeyObject | undefined> {
  const known = keySets.get(url);
  const isRecent = known !== undefined && Date.now() - known.readAtMs < lookAgainMs;
  if (known?.keys.has(kid) || isRecent) return known?.keys.get(kid);
  const answer = await askStore(url, timeoutMs).catch(() => undefined);
  if (answer?.status !== 200) throw new AppError('service_unavailable', { retryAfterSeconds: 30 });
  const { keys: list } = JSON.parse(answer.text) as { keys: (JsonWebKey & { kid: string })[] };
  const keys = new Map(list.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]));
  keySets.set(url, { keys, readAtMs: Date.now() });
  return keys.get(kid);
}
