import {
  APIException,
  type NotificationHistoryResponse,
  ReceiptUtility,
  type RefundHistoryResponse,
  SignedDataVerifier,
  VerificationException,
  VerificationStatus,
} from '@apple/app-store-server-library';
import { ApiClient, environments, testCredentials, type AppleSettings, type Verifiers } from './appleApi';
import { sendConsumption } from './appleConsumption';
import { readNotification } from './appleNotification';
import { describeOneTime, describeSubscription, refundOf } from './applePurchase';
import { type AppleCredentials } from './credentials';
import {
  refused,
  type AppStore,
  type ReceiptClaim,
  type RefusalReason,
  type StoreAnswer,
  type StoreEnvironment,
  type StoreRefund,
} from './store';
import { tryToRead } from './unverified';

/** The App Store through Apple's own library: StoreKit 2 transactions, the Server API, and notifications V2. */
export function createApple(credentials: AppleCredentials, settings: AppleSettings): AppStore {
  const verifiers = verifiersOf(credentials, settings);
  const sourceOf = (environment: StoreEnvironment): Source => ({
    environment,
    client: new ApiClient(credentials, environments[environment], settings),
    verifier: verifiers[environment],
  });

  return {
    name: 'apple',

    validate: (claim) =>
      answering(async () => {
        const claimed = await readClaim(claim, verifiers);
        return 'outcome' in claimed ? claimed : findPurchase(claimed.transactionId, claimed.among.map(sourceOf));
      }),

    lookUp: (reference) => findPurchase(reference.id, [sourceOf(reference.environment)]),

    sendConsumption: (consumption) => sendConsumption(sourceOf(consumption.environment).client, consumption),

    readNotification: (body) => readNotification(body, verifiers),

    async readHistory(since) {
      const notifications: Buffer[] = [];
      for (const environment of ['production', 'sandbox'] as const)
        notifications.push(...(await listMissed(sourceOf(environment).client, since)));
      return { notifications, refunds: [] };
    },

    testCredentials: () => testCredentials(credentials, settings),
  };
}

function verifiersOf({ bundleId, appAppleId }: AppleCredentials, { rootCertificates }: AppleSettings): Verifiers {
  return {
    production: new SignedDataVerifier(rootCertificates, false, environments.production, bundleId, appAppleId),
    sandbox: new SignedDataVerifier(rootCertificates, false, environments.sandbox, bundleId),
  };
}

/** One environment of the App Store. */
interface Source {
  environment: StoreEnvironment;
  client: ApiClient;
  verifier: SignedDataVerifier;
}

/**
 * Asks the environment that the claim names. Without one it asks production and then the sandbox, as Apple recommends.
 */
async function findPurchase(transactionId: string, sources: readonly Source[]): Promise<StoreAnswer> {
  let answer: StoreAnswer = refused('invalid_receipt', 'Apple does not know this transaction.');
  for (const source of sources) {
    answer = await answering(() => readPurchase(transactionId, source));
    if (answer.outcome !== 'refused' || answer.reason !== 'invalid_receipt') return answer;
  }
  return answer;
}

async function readPurchase(transactionId: string, source: Source): Promise<StoreAnswer> {
  const { environment, client, verifier } = source;
  const { signedTransactionInfo = '' } = await client.getTransactionInfo(transactionId);
  const transaction = await verifier.verifyAndDecodeTransaction(signedTransactionInfo);
  if (transaction.expiresDate === undefined || transaction.type === 'Non-Renewing Subscription')
    return { outcome: 'found', purchase: describeOneTime(transaction, environment) };
  const statuses = await client.getAllSubscriptionStatuses(transactionId);
  const last = (statuses.data ?? [])
    .flatMap(({ lastTransactions = [] }) => lastTransactions)
    .find(({ originalTransactionId }) => originalTransactionId === transaction.originalTransactionId);
  if (!last) return refused('invalid_receipt', 'Apple does not know this subscription.');
  const [latest, renewal] = await Promise.all([
    verifier.verifyAndDecodeTransaction(last.signedTransactionInfo ?? ''),
    verifier.verifyAndDecodeRenewalInfo(last.signedRenewalInfo ?? ''),
  ]);
  const refunds = await listRefunds(source, transaction.originalTransactionId);
  const purchase = describeSubscription(latest, renewal, Number(last.status), environment);
  return { outcome: 'found', purchase: { ...purchase, refunds } };
}

/** The bodies of notifications since a time that Apple could not deliver. */
async function listMissed(client: ApiClient, since: Date): Promise<Buffer[]> {
  const request = { startDate: since.getTime(), endDate: Date.now(), onlyFailures: true };
  const missed: Buffer[] = [];
  for (let token: string | null = null, isMore = true; isMore;) {
    const page: NotificationHistoryResponse = await client.getNotificationHistory(token, request);
    for (const { signedPayload } of page.notificationHistory ?? [])
      if (signedPayload !== undefined) missed.push(Buffer.from(JSON.stringify({ signedPayload })));
    token = page.paginationToken ?? null;
    isMore = page.hasMore === true && token !== null;
  }
  return missed;
}

/** The refunds of one subscription. Apple's list contains all refunds of the customer. */
async function listRefunds({ client, verifier }: Source, originalId = ''): Promise<StoreRefund[]> {
  const refunds: StoreRefund[] = [];
  for (let revision: string | null = null, isMore = true; isMore;) {
    const page: RefundHistoryResponse = await client.getRefundHistory(originalId, revision);
    for (const signed of page.signedTransactions ?? []) {
      const transaction = await verifier.verifyAndDecodeTransaction(signed);
      const refund = transaction.originalTransactionId === originalId ? refundOf(transaction) : undefined;
      if (refund) refunds.push(refund);
    }
    revision = page.revision ?? null;
    isMore = page.hasMore === true && revision !== null;
  }
  return refunds;
}

/** A claim is a signed transaction, a transaction id, or a receipt from before StoreKit 2. */
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

/** The receipt in a purchase object, which some apps send whole. The signed transaction is preferred. */
function receiptIn(text: string): string {
  if (!text.startsWith('{')) return text;
  const sent = tryToRead(() => JSON.parse(text) as Record<string, unknown>) ?? {};
  const names = ['jwsRepresentation', 'jwsRepresentationIos', 'transactionReceipt', 'transactionId'];
  const held = names.map((name) => sent[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof held === 'string' ? held : '';
}

/** The environment that a signed transaction names, unverified; undefined if the text is not a signed transaction. */
function environmentOf(jws: string): StoreEnvironment | 'other' | undefined {
  const [, payload, signature] = jws.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  return tryToRead(() => {
    const { environment } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { environment?: unknown };
    const named = Object.entries(environments).find(([, name]) => name === environment)?.[0];
    return (named as StoreEnvironment | undefined) ?? 'other';
  });
}

/** The transaction id in a legacy receipt, unverified. The store is asked about it. */
function legacyTransactionId(receipt: string): string | undefined {
  const utility = new ReceiptUtility();
  const isId = (found: string | null | undefined) => /^\d{1,32}$/.test(found ?? '');
  const inApp = tryToRead(() => utility.extractTransactionIdFromAppReceipt(receipt));
  const inTransaction = tryToRead(() => utility.extractTransactionIdFromTransactionReceipt(receipt));
  return [inApp, inTransaction].find(isId) ?? undefined;
}

const refusals: Readonly<Partial<Record<VerificationStatus, RefusalReason>>> = {
  [VerificationStatus.INVALID_APP_IDENTIFIER]: 'wrong_app',
  [VerificationStatus.INVALID_ENVIRONMENT]: 'wrong_environment',
};

/** Turns a refusal by Apple or by the library into an answer. Any other error means that Apple is unavailable. */
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
      return refused('invalid_receipt', 'Apple does not know this transaction.');
    return { outcome: 'unavailable' };
  }
}
