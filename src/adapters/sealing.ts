import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { config } from '../config';

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts what must lie in the database but not be read there. `purpose` keeps one use's boxes closed to another. */
export function seal(purpose: string, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undefined when it was sealed with another key: that of a process that had no ENCRYPTION_KEY, and is gone. */
export function unseal(purpose: string, box: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), box.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(box.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = Buffer.concat([decipher.update(box.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return text.toString('utf8');
  } catch {
    return undefined;
  }
}

function keyFor(purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', config.ENCRYPTION_KEY, '', purpose, 32));
}
