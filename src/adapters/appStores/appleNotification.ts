import { VerificationException, VerificationStatus } from '@apple/app-store-server-library';
import { AppError } from '../../kit/errors';
import { environments, type Verifiers } from './appleApi';
import { referenceOf } from './applePurchase';
import { type StoreEnvironment, type StoreNotification } from './store';

/** Throws `invalid_signature` for what Apple has not signed for this app. */
export async function readNotification(body: Buffer, verifiers: Verifiers): Promise<StoreNotification> {
  const signedPayload = payloadOf(body);
  const environment = environmentOf(signedPayload);
  if (environment === undefined) throw new AppError('invalid_signature');
  try {
    const told = await verifiers[environment].verifyAndDecodeNotification(signedPayload);
    const type = [told.notificationType, told.subtype].filter(Boolean).join('/');
    const at = new Date(told.signedDate ?? 0);
    const signed = told.data?.signedTransactionInfo;
    if (signed === undefined) return { id: told.notificationUUID ?? '', purchase: null, type, at };
    const transaction = await verifiers[environment].verifyAndDecodeTransaction(signed);
    return { id: told.notificationUUID ?? '', purchase: referenceOf(transaction, environment), type, at };
  } catch (error) {
    if (!(error instanceof VerificationException)) throw error;
    if (error.status === VerificationStatus.RETRYABLE_VERIFICATION_FAILURE) throw new AppError('service_unavailable');
    throw new AppError('invalid_signature');
  }
}

/** Which app a notification says that it is of; nothing is verified. */
export function appleApp(body: Buffer): string | undefined {
  try {
    const { bundleId } = aboutOf(payloadOf(body));
    return typeof bundleId === 'string' ? bundleId : undefined;
  } catch {
    return undefined;
  }
}

function payloadOf(body: Buffer): string {
  try {
    const { signedPayload } = JSON.parse(body.toString('utf8')) as { signedPayload?: unknown };
    if (typeof signedPayload === 'string') return signedPayload;
  } catch {
    // Not Apple's, then.
  }
  throw new AppError('invalid_signature');
}

function environmentOf(signedPayload: string): StoreEnvironment | undefined {
  try {
    const named = aboutOf(signedPayload).environment;
    return (Object.keys(environments) as StoreEnvironment[]).find((name) => environments[name] === named);
  } catch {
    return undefined;
  }
}

interface About {
  environment?: unknown;
  bundleId?: unknown;
}

/** What a notification says of itself, before anything is verified: in one of three places, by its kind. */
function aboutOf(signedPayload: string): About {
  const payload = Buffer.from(signedPayload.split('.')[1] ?? '', 'base64url').toString('utf8');
  const { data, summary, appData } = JSON.parse(payload) as Record<string, About | undefined>;
  return data ?? summary ?? appData ?? {};
}
