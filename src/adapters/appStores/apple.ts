import {
  APIException,
  ReceiptUtility,
  SignedDataVerifier,
  VerificationException,
  VerificationStatus,
} from '@apple/app-store-server-library';
import { ApiClient, environments, testCredentials, type AppleSettings, type Verifiers } from './appleApi';
import { readNotification } from './appleNotification';
import { describeOneTime, describeSubscription } from './applePurchase';
import { type AppleCredentials } from './credentials';
import {
  refused,
  type AppStore,
  type ReceiptClaim,
  type RefusalReason,
  type StoreAnswer,
  type StoreEnvironment,
} from './store';

/** The App Store through Apple's own library: StoreKit 2 transactions, the Server API, and notifications V2. */
export function createApple(credentials: AppleCredentials, settings: AppleSettings): AppStore {
  const { rootCertificates } = settings;
  const { bundleId, appAppleId } = credentials;
  const verifiers = {
    production: new SignedDataVerifier(rootCertificates, false, environments.production, bundleId, appAppleId),
    sandbox: new SignedDataVerifier(rootCertificates, false, environments.sandbox, bundleId),
  };

  /** Asks the environment that the claim names, or first production and then the sandbox, as Apple asks for. */
  const findPurchase = async (transactionId: string, among: readonly StoreEnvironment[]): Promise<StoreAnswer> => {
    let answer: StoreAnswer = refused('invalid_receipt', 'Apple knows no such transaction.');
    for (const environment of among) {
      answer = await answering(() => readPurchase(transactionId, environment));
      if (answer.outcome !== 'refused' || answer.reason !== 'invalid_receipt') return answer;
    }
    return answer;
  };

  const readPurchase = async (transactionId: string, environment: StoreEnvironment): Promise<StoreAnswer> => {
    const client = new ApiClient(credentials, environments[environment], settings);
    const verifier = verifiers[environment];
    const { signedTransactionInfo = '' } = await client.getTransactionInfo(transactionId);
    const transaction = await verifier.verifyAndDecodeTransaction(signedTransactionInfo);
    if (transaction.expiresDate === undefined || transaction.type === 'Non-Renewing Subscription')
      return { outcome: 'found', purchase: describeOneTime(transaction, environment) };
    const statuses = await client.getAllSubscriptionStatuses(transactionId);
    const last = (statuses.data ?? [])
      .flatMap(({ lastTransactions = [] }) => lastTransactions)
      .find(({ originalTransactionId }) => originalTransactionId === transaction.originalTransactionId);
    if (!last) return refused('invalid_receipt', 'Apple knows no such subscription.');
    const [latest, renewal] = await Promise.all([
      verifier.verifyAndDecodeTransaction(last.signedTransactionInfo ?? ''),
      verifier.verifyAndDecodeRenewalInfo(last.signedRenewalInfo ?? ''),
    ]);
    return { outcome: 'found', purchase: describeSubscription(latest, renewal, Number(last.status), environment) };
  };

  return {
    name: 'apple',

    validate: (claim) =>
      answering(async () => {
        const claimed = await readClaim(claim, verifiers);
        return 'outcome' in claimed ? claimed : findPurchase(claimed.transactionId, claimed.among);
      }),

    lookUp: (reference) => findPurchase(reference.id, [reference.environment]),

    readNotification: (body) => readNotification(body, verifiers),

    testCredentials: () => testCredentials(credentials, settings),
  };
}

/** A signed transaction, a transaction id, or a receipt of the time before StoreKit 2. */
async function readClaim(
  { receipt }: ReceiptClaim,
  verifiers: Verifiers,
): Promise<{ transactionId: string; among: StoreEnvironment[] } | StoreAnswer> {
  const text = receiptIn(receipt.trim());
  if (/^\d{1,32}$/.test(text)) return { transactionId: text, among: ['production', 'sandbox'] };
  const environment = environmentOf(text);
  if (environment === 'other') return refused('wrong_environment', 'The transaction was not signed by the App Store.');
  if (environment !== undefined) {
    const { transactionId = '' } = await verifiers[environment].verifyAndDecodeTransaction(text);
    return { transactionId, among: [environment] };
  }
  const transactionId = legacyTransactionId(text);
  if (transactionId === undefined) return refused('invalid_receipt', 'The receipt cannot be read.');
  return { transactionId, among: ['production', 'sandbox'] };
}

/** Some apps send their purchase object whole (wire E.2): of what it holds, the signed transaction says most. */
function receiptIn(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const sent = JSON.parse(text) as Record<string, unknown>;
    const names = ['jwsRepresentation', 'jwsRepresentationIos', 'transactionReceipt', 'transactionId'];
    const held = names.map((name) => sent[name]).find((value) => typeof value === 'string' && value !== '');
    return typeof held === 'string' ? held : '';
  } catch {
    return '';
  }
}

/** What a signed transaction says of itself, before anything is verified; undefined: it is not one. */
function environmentOf(jws: string): StoreEnvironment | 'other' | undefined {
  const [, payload, signature] = jws.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { environment } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { environment?: unknown };
    const named = Object.entries(environments).find(([, name]) => name === environment)?.[0];
    return (named as StoreEnvironment | undefined) ?? 'other';
  } catch {
    return undefined;
  }
}

/** Nothing of a legacy receipt is verified here: the id in it is only asked about. */
function legacyTransactionId(receipt: string): string | undefined {
  const utility = new ReceiptUtility();
  for (const read of [
    () => utility.extractTransactionIdFromAppReceipt(receipt),
    () => utility.extractTransactionIdFromTransactionReceipt(receipt),
  ])
    try {
      const found = read();
      if (found !== null && /^\d{1,32}$/.test(found)) return found;
    } catch {
      // The other form, then.
    }
  return undefined;
}

const refusals: Readonly<Partial<Record<VerificationStatus, RefusalReason>>> = {
  [VerificationStatus.INVALID_APP_IDENTIFIER]: 'wrong_app',
  [VerificationStatus.INVALID_ENVIRONMENT]: 'wrong_environment',
};

/** What Apple and the library say no with, as an answer. Anything else that goes wrong is a time when Apple is away. */
async function answering(ask: () => Promise<StoreAnswer>): Promise<StoreAnswer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof VerificationException) {
      if (error.status === VerificationStatus.RETRYABLE_VERIFICATION_FAILURE) return { outcome: 'unavailable' };
      return refused(refusals[error.status] ?? 'invalid_receipt', 'Apple did not sign this for this app.');
    }
    if (!(error instanceof APIException)) return { outcome: 'unavailable' };
    const { httpStatusCode } = error;
    if (httpStatusCode === 401) return refused('store_credentials', "Apple refuses this merchant's key.");
    if (httpStatusCode === 400 || httpStatusCode === 404)
      return refused('invalid_receipt', 'Apple knows no such transaction.');
    return { outcome: 'unavailable' };
  }
}
