import {
  type JWSTransactionDecodedPayload,
  VerificationException,
  VerificationStatus,
} from '@apple/app-store-server-library';
import { AppError } from '../../kit/errors';
import { environments, type Verifiers } from './appleApi';
import { referenceOf, refundOf } from './applePurchase';
import { type StoreEnvironment, type StoreNotification } from './store';
import { readSigned, tryToRead } from './unverified';

/** Throws `invalid_signature` unless Apple has signed the notification for this app. */
export async function readNotification(body: Buffer, verifiers: Verifiers): Promise<StoreNotification> {
  const signedPayload = payloadOf(body);
  const environment = environmentOf(signedPayload);
  if (environment === undefined) throw new AppError('invalid_signature');
  try {
    const payload = await verifiers[environment].verifyAndDecodeNotification(signedPayload);
    const { notificationType, subtype, notificationUUID: id = '', data } = payload;
    const type = [notificationType, subtype].filter(Boolean).join('/');
    const at = new Date(payload.signedDate ?? 0);
    if (data?.signedTransactionInfo === undefined) return { id, purchase: null, type, at };
    const transaction = await verifiers[environment].verifyAndDecodeTransaction(data.signedTransactionInfo);
    const refund = refundIn(notificationType, transaction, at);
    const consumption = notificationType === 'CONSUMPTION_REQUEST' && {
      transactionId: transaction.transactionId ?? '',
      environment,
      refundReason: data.consumptionRequestReason ?? '',
    };
    return {
      id,
      purchase: referenceOf(transaction, environment),
      type,
      at,
      ...(refund && { refund }),
      ...(consumption && { consumption }),
      ...(notificationType === 'REFUND_DECLINED' && { isRefundDeclined: true }),
    };
  } catch (error) {
    if (!(error instanceof VerificationException)) throw error;
    if (error.status === VerificationStatus.RETRYABLE_VERIFICATION_FAILURE) throw new AppError('service_unavailable');
    throw new AppError('invalid_signature');
  }
}

/** The refund or reversal that a notification reports. Its transaction is the refunded one, which may be an older one. */
function refundIn(type: string | undefined, transaction: JWSTransactionDecodedPayload, at: Date) {
  if (type === 'REFUND') return refundOf(transaction);
  const { transactionId = '' } = transaction;
  return type === 'REFUND_REVERSED' ? { transactionId, refundedAt: at, isReversed: true } : undefined;
}

/** The app that a notification names, unverified. */
export function appleApp(body: Buffer): string | undefined {
  const bundleId = tryToRead(() => contextOf(payloadOf(body)).bundleId);
  return typeof bundleId === 'string' ? bundleId : undefined;
}

function payloadOf(body: Buffer): string {
  const sent = readSigned(() => JSON.parse(body.toString('utf8')) as { signedPayload?: unknown } | null);
  if (typeof sent?.signedPayload === 'string') return sent.signedPayload;
  throw new AppError('invalid_signature');
}

function environmentOf(signedPayload: string): StoreEnvironment | undefined {
  const { environment: named, externalPurchaseId } = tryToRead(() => contextOf(signedPayload)) ?? {};
  // The token of a purchase outside the store names its environment only in its id.
  if (typeof externalPurchaseId === 'string')
    return externalPurchaseId.startsWith('SANDBOX') ? 'sandbox' : 'production';
  return (Object.keys(environments) as StoreEnvironment[]).find((name) => environments[name] === named);
}

interface NotificationContext {
  environment?: unknown;
  bundleId?: unknown;
  externalPurchaseId?: unknown;
}

/** The app and environment that a notification names, unverified. Each kind has them in another field. */
function contextOf(signedPayload: string): NotificationContext {
  const payload = Buffer.from(signedPayload.split('.')[1] ?? '', 'base64url').toString('utf8');
  const fields = JSON.parse(payload) as Record<string, NotificationContext | undefined>;
  return fields['data'] ?? fields['summary'] ?? fields['appData'] ?? fields['externalPurchaseToken'] ?? {};
}
