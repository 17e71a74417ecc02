import { type IncomingHttpHeaders } from 'node:http';
import { decode, verify, type VerifyOptions } from 'jsonwebtoken';
import { bearerToken } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { type GooglePlayCredentials } from './credentials';
import { type GooglePlaySettings } from './googlePlayApi';
import { findPublishedKey } from './publishedKeys';
import { type PurchaseReference, type StoreNotification } from './store';
import { readSigned, tryToRead } from './unverified';

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

/** Throws `invalid_signature` unless Google has sent the notification for this merchant's app. */
export async function readNotification(
  body: Buffer,
  headers: IncomingHttpHeaders,
  credentials: GooglePlayCredentials,
  settings: GooglePlaySettings,
): Promise<StoreNotification> {
  await verifyPush(bearerToken(headers.authorization), credentials, settings);
  const { id, notification } = readPush(body);
  if (notification.packageName !== credentials.packageName) throw new AppError('invalid_signature');
  const kind = Object.keys(notification).find((name) => name.endsWith('Notification')) ?? 'unknown';
  const subject =
    notification.subscriptionNotification ??
    notification.oneTimeProductNotification ??
    notification.voidedPurchaseNotification ??
    notification.pendingRefundReviewNotification;
  const number = (subject as { notificationType?: number } | undefined)?.notificationType;
  const purchase: PurchaseReference | null =
    subject?.purchaseToken === undefined
      ? null
      : { id: subject.purchaseToken, environment: 'production', productId: '' };
  const at = new Date(Number(notification.eventTimeMillis ?? 0));
  const voidedId = notification.voidedPurchaseNotification?.orderId;
  return {
    // The sender chooses the id. The same id from two senders names two notifications.
    id: `${credentials.pushServiceAccount}/${id}`,
    purchase,
    type: number === undefined ? kind : `${kind}/${number}`,
    at,
    ...(voidedId !== undefined && { refund: { transactionId: voidedId, refundedAt: at } }),
  };
}

/** The app that a notification names, unverified. */
export function googlePlayApp(body: Buffer): string | undefined {
  return tryToRead(() => readPush(body).notification.packageName);
}

function readPush(body: Buffer): { id: string; notification: DeveloperNotification } {
  return readSigned(() => {
    const { message } = JSON.parse(body.toString('utf8')) as Push;
    const text = Buffer.from(message?.data ?? '', 'base64').toString('utf8');
    return { id: message?.messageId ?? '', notification: JSON.parse(text) as DeveloperNotification };
  });
}

const issuers: [string, string] = ['https://accounts.google.com', 'accounts.google.com'];

/** A notification carries a token of the merchant's service account. The address alone proves no sender. */
async function verifyPush(
  token: string | undefined,
  credentials: GooglePlayCredentials,
  settings: GooglePlaySettings,
): Promise<void> {
  const kid = token === undefined ? undefined : decode(token, { complete: true })?.header.kid;
  const key = kid === undefined ? undefined : await findPublishedKey(settings.keysUrl, kid, settings.timeoutMs);
  if (token === undefined || !key) throw new AppError('invalid_signature');
  const expected: VerifyOptions = { algorithms: ['RS256'], audience: credentials.pushAudience, issuer: issuers };
  const claims = readSigned(() => verify(token, key, expected) as { email?: string; email_verified?: boolean });
  if (claims.email !== credentials.pushServiceAccount || claims.email_verified !== true)
    throw new AppError('invalid_signature');
}
