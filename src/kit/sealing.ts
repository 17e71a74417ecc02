import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a text or bytes under a key of 32 bytes. The result has the nonce, the tag, then the content. */
export function sealWith(key: Buffer, content: string | Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  const open = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const sealed = Buffer.concat([cipher.update(open), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws if the text was encrypted with another key or has changed. */
export function openWith(key: Buffer, box: Buffer): string {
  return openBytesWith(key, box).toString('utf8');
}

/** Throws if the bytes were encrypted with another key or have changed. */
export function openBytesWith(key: Buffer, box: Uint8Array): Buffer {
  const decipher = createDecipheriv(algorithm, key, box.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(box.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(box.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
