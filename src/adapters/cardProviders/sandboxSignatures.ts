import { createHmac, timingSafeEqual } from 'node:crypto';

/** The signature of the sandbox's notifications: `t=<Unix seconds>,v1=<HMAC-SHA-256 in hex>` in this header. */
export const sandboxSignatureHeader = 'sandbox-signature';

/** Older signatures are refused. A recorded request can therefore not be sent again later. */
const validSeconds = 300;

/** `key`: the key of the account. */
export function signNotification(key: string, body: string | Buffer, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${digest(key, body, seconds)}`;
}

export function isSigned(key: string, body: Buffer, signature: string): boolean {
  const [, time = '', given = ''] = /^t=(\d{1,12}),v1=([\da-f]{64})$/.exec(signature) ?? [];
  const seconds = Number(time);
  if (given === '' || Math.abs(Date.now() / 1000 - seconds) > validSeconds) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(digest(key, body, seconds)));
}

const digest = (key: string, body: string | Buffer, seconds: number) =>
  createHmac('sha256', key).update(`${seconds}.`).update(body).digest('hex');
