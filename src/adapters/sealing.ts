import { createHmac, hkdfSync } from 'node:crypto';
import { config } from '../config';
import { openWith, sealWith } from '../kit/sealing';

/** Encrypts what must lie in the database but not be read there. `purpose` keeps one use's boxes closed to another. */
export function seal(purpose: string, text: string): Buffer {
  return sealWith(keyFor(purpose), text);
}

/** Undefined when it was sealed with another key: that of a process that had no ENCRYPTION_KEY, and is gone. */
export function unseal(purpose: string, box: Buffer): string | undefined {
  try {
    return openWith(keyFor(purpose), box);
  } catch {
    return undefined;
  }
}

/** What finds a sealed text again without reading any: the same for the same text, and tells nothing of it. In hex. */
export function fingerprintOf(purpose: string, text: string): string {
  return createHmac('sha256', keyFor(`${purpose} fingerprint`))
    .update(text)
    .digest('hex');
}

function keyFor(purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', config.ENCRYPTION_KEY, '', purpose, 32));
}
