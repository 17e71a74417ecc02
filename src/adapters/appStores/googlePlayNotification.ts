import { type IncomingHttpHeaders } from 'node:http';
import { decode, verify } from 'jsonwebtoken';
import { bearerToken } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { type GooglePlayCredentials } from './credentials';
import { type GooglePlaySettings } from './googlePlayApi';
import { findPublishedKey } from './publishedKeys';
import { type PurchaseReference, type StoreNotification } from './store';

interface Push {
  message?: { data?: string; messageId?: string };
}

interface DeveloperNotification {
  packageName?: string;
  eventTimeMillis?: string;
  subscriptionNotification?: { notificationType?: number; purchaseToken?: string };
  oneTimeProductNotification?: { notificationType?: number; purchaseToken?: string; sku?: string };
  voidedPurchaseNotification?: { purchaseToken?: string; orderId?: string };
  pendingRefundReviewNotification?: { purchaseToken?: string };
  testNotification?: object;
}

/** Throws `invalid_signature` for what Google has not pushed for this app. */
export async function readNotification(
  body: Buffer,
  headers: IncomingHttpHeaders,
  credentials: GooglePlayCredentials,
  settings: GooglePlaySettings,
): Promise<StoreNotification> {
  await verifyPush(bearerToken(headers.authorization), credentials, settings);
  const { id, told } = readPush(body);
  if (told.packageName !== credentials.packageName) throw new AppError('invalid_signature');
  const kind = Object.keys(told).find((name) => name.endsWith('Notification')) ?? 'unknown';
  const about =
    told.subscriptionNotification ??
    told.oneTimeProductNotification ??
    told.voidedPurchaseNotification ??
    told.pendingRefundReviewNotification;
  const number = (about as { notificationType?: number } | undefined)?.notificationType;
  const purchase: PurchaseReference | null =
    about?.purchaseToken === undefined ? null : { id: about.purchaseToken, environment: 'production', productId: '' };
  return {
    id,
    purchase,
    type: number === undefined ? kind : `${kind}/${number}`,
    at: new Date(Number(told.eventTimeMillis ?? 0)),
  };
}

/** Which app a notification says that it is of; nothing is verified. */
export function googlePlayApp(body: Buffer): string | undefined {
  try {
    return readPush(body).told.packageName;
  } catch {
    return undefined;
  }
}

function readPush(body: Buffer): { id: string; told: DeveloperNotification } {
  try {
    const { message } = JSON.parse(body.toString('utf8')) as Push;
    const told = JSON.parse(Buffer.from(message?.data ?? '', 'base64').toString('utf8')) as DeveloperNotification;
    return { id: message?.messageId ?? '', told };
  } catch {
    throw new AppError('invalid_signature');
  }
}

const issuers = ['https://accounts.google.com', 'accounts.google.com'] as const;

/** A push bears a token of the service account that the merchant has set it to: no address is secret enough. */
async function verifyPush(
  token: string | undefined,
  credentials: GooglePlayCredentials,
  settings: GooglePlaySettings,
): Promise<void> {
  const kid = token === undefined ? undefined : decode(token, { complete: true })?.header.kid;
  const key = kid === undefined ? undefined : await findPublishedKey(settings.keysUrl, kid, settings.timeoutMs);
  if (token === undefined || !key) throw new AppError('invalid_signature');
  try {
    const claims = verify(token, key, {
      algorithms: ['RS256'],
      audience: credentials.pushAudience,
      issuer: [...issuers],
    }) as { email?: string; email_verified?: boolean };
    if (claims.email === credentials.pushServiceAccount && claims.email_verified === true) return;
  } catch {
    // Forged, old, or for somebody else.
  }
  throw new AppError('invalid_signature');
}
