import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a text under a key of 32 bytes: nonce, tag, then the text. */
export function sealWith(key: Buffer, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws when it was sealed with another key, or changed since. */
export function openWith(key: Buffer, box: Buffer): string {
  const decipher = createDecipheriv(algorithm, key, box.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(box.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = Buffer.concat([decipher.update(box.subarray(nonceBytes + tagBytes)), decipher.final()]);
  return text.toString('utf8');
}
