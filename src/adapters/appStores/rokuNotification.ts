import { decode, verify } from 'jsonwebtoken';
import { AppError } from '../../kit/errors';
import { type RokuCredentials } from './credentials';
import { findPublishedKey } from './publishedKeys';
import { type StoreNotification } from './store';
import { readSigned, tryToRead } from './unverified';

export interface NotificationSettings {
  /** `https://assets.cs.roku.com/keys/partner-jwks.json` */
  keysUrl: string;
  timeoutMs: number;
}

interface PushMessage {
  transactionId?: string;
  originalTransactionId?: string;
  transactionType?: string;
  channelId?: number | string;
  productCode?: string;
  responseKey?: string;
  eventDate?: string;
}

interface PushClaims {
  'x-Roku-message'?: string;
  'x-Roku-message-key'?: string;
}

/** Throws `invalid_signature` unless Roku has sent the notification for this merchant's app. */
export async function readNotification(
  body: Buffer,
  credentials: RokuCredentials,
  settings: NotificationSettings,
): Promise<StoreNotification> {
  const claims = await verifyPush(body.toString('utf8').trim(), settings);
  const message = readMessage(claims);
  if (String(message.channelId) !== credentials.channelId) throw new AppError('invalid_signature');
  const { transactionId, originalTransactionId: id = transactionId, productCode: productId = '' } = message;
  const at = new Date(message.eventDate ?? 0);
  const isRefund = message.transactionType === 'Refund' && transactionId !== undefined;
  return {
    id: claims['x-Roku-message-key'] ?? '',
    purchase: id === undefined ? null : { id, environment: 'production', productId, transactionId },
    type: message.transactionType ?? '',
    at,
    ...(isRefund && { refund: { transactionId, refundedAt: at } }),
    // Old and new documentation of Roku both accept this answer as a receipt.
    reply: message.responseKey ?? '',
  };
}

/** The app that a notification names, unverified. */
export function rokuApp(body: Buffer): string | undefined {
  const message = tryToRead(() => readMessage(decode(body.toString('utf8').trim()) as PushClaims));
  return message?.channelId === undefined ? undefined : String(message.channelId);
}

function readMessage(claims: PushClaims): PushMessage {
  return readSigned(() => {
    const text = Buffer.from(claims['x-Roku-message'] ?? '', 'base64url').toString('utf8');
    return JSON.parse(text) as PushMessage;
  });
}

async function verifyPush(jws: string, settings: NotificationSettings): Promise<PushClaims> {
  const kid = decode(jws, { complete: true })?.header.kid;
  const key = kid === undefined ? undefined : await findPublishedKey(settings.keysUrl, kid, settings.timeoutMs);
  if (!key) throw new AppError('invalid_signature');
  return readSigned(() => verify(jws, key, { algorithms: ['RS256'] }) as PushClaims);
}
