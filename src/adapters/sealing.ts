import { createHmac, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { openWith, sealWith } from '../kit/sealing';
import { dataKey } from './dataKey';

/** Encrypts a text for the database. A text that was encrypted for one `purpose` cannot be decrypted for another. */
export function seal(purpose: string, text: string): Buffer {
  return sealWith(keyFor(purpose), text);
}

/** Undefined if the text was sealed with another data key, such as that of an earlier process without ENCRYPTION_KEY. */
export function unseal(purpose: string, box: Buffer): string | undefined {
  try {
    return openWith(keyFor(purpose), box);
  } catch {
    return undefined;
  }
}

/**
 * A keyed hash by which a sealed text is found without decrypting any. Equal texts have the same hash, which reveals
 * nothing about them. In hex.
 */
export function fingerprintOf(purpose: string, text: string): string {
  return fingerprintWith(fingerprintKeyOf(purpose), text);
}

/** The key of the hashes of one purpose. It leaves the installation only with a merchant that moves. */
export const fingerprintKeyOf = (purpose: string): Buffer => keyFor(`${purpose} fingerprint`);

export const fingerprintWith = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');

/** A key is derived once, because the derivation takes longer than the sealing. */
const keys = new LRUCache<string, Buffer>({ max: 1_000 });

function keyFor(purpose: string): Buffer {
  const known = keys.get(purpose);
  if (known) return known;
  const key = Buffer.from(hkdfSync('sha256', dataKey(), '', purpose, 32));
  keys.set(purpose, key);
  return key;
}
