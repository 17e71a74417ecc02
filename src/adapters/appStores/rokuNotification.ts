import { decode, verify } from 'jsonwebtoken';
import { AppError } from '../../kit/errors';
import { type RokuCredentials } from './credentials';
import { findPublishedKey } from './publishedKeys';
import { type StoreNotification } from './store';

export interface NotificationSettings {
  /** `https://assets.cs.roku.com/keys/partner-jwks.json` */
  keysUrl: string;
  timeoutMs: number;
}

interface Pushed {
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

/** Throws `invalid_signature` for what Roku has not pushed for this app. */
export async function readNotification(
  body: Buffer,
  credentials: RokuCredentials,
  settings: NotificationSettings,
): Promise<StoreNotification> {
  const claims = await verifyPush(body.toString('utf8').trim(), settings);
  const told = readMessage(claims);
  if (String(told.channelId) !== credentials.channelId) throw new AppError('invalid_signature');
  const { transactionId, originalTransactionId: id = transactionId, productCode: productId = '' } = told;
  return {
    id: claims['x-Roku-message-key'] ?? '',
    purchase: id === undefined ? null : { id, environment: 'production', productId, transactionId },
    type: told.transactionType ?? '',
    at: new Date(told.eventDate ?? 0),
    // What old and new documents of Roku both take for "received".
    reply: told.responseKey ?? '',
  };
}

/** Which app a push says that it is of; nothing is verified. */
export function rokuApp(body: Buffer): string | undefined {
  try {
    const { channelId } = readMessage(decode(body.toString('utf8').trim()) as PushClaims);
    return channelId === undefined ? undefined : String(channelId);
  } catch {
    return undefined;
  }
}

function readMessage(claims: PushClaims): Pushed {
  try {
    return JSON.parse(Buffer.from(claims['x-Roku-message'] ?? '', 'base64url').toString('utf8')) as Pushed;
  } catch {
    throw new AppError('invalid_signature');
  }
}

async function verifyPush(jws: string, settings: NotificationSettings): Promise<PushClaims> {
  const kid = decode(jws, { complete: true })?.header.kid;
  const key = kid === undefined ? undefined : await findPublishedKey(settings.keysUrl, kid, settings.timeoutMs);
  if (!key) throw new AppError('invalid_signature');
  try {
    return verify(jws, key, { algorithms: ['RS256'] }) as PushClaims;
  } catch {
    throw new AppError('invalid_signature');
  }
}
