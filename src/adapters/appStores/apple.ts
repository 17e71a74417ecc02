import { createPrivateKey } from 'node:crypto';
import {
  APIException,
  AppStoreServerAPIClient,
  Environment,
  ReceiptUtility,
  SignedDataVerifier,
  Status,
  VerificationException,
  VerificationStatus,
  type JWSRenewalInfoDecodedPayload,
  type JWSTransactionDecodedPayload,
} from '@apple/app-store-server-library';
import { iso31661 } from 'iso-3166';
import { AppError } from '../../kit/errors';
import {
  type AppStore,
  type CredentialProblem,
  type PurchaseState,
  type ReceiptClaim,
  type RefusalReason,
  type StoreAnswer,
  type StoreEnvironment,
  type StoreNotification,
  type StorePurchase,
} from './store';

export interface AppleCredentials {
  bundleId: string;
  /** The app's number in App Store Connect. */
  appAppleId: number;
  /** Of a key for the App Store Server API. */
  issuerId: string;
  keyId: string;
  /** PEM, PKCS #8. */
  privateKey: string;
}

export interface AppleSettings {
  /** DER. What every chain must end in. */
  rootCertificates: Buffer[];
  /** The API at another address, for tests; the sandbox's is under `/sandbox` there. */
  apiBase: string | undefined;
  timeoutMs: number;
}

/** The only two in which Apple signs: the library's others skip the signature, so nothing from outside may choose one. */
const environments: Record<StoreEnvironment, Environment.PRODUCTION | Environment.SANDBOX> = {
  production: Environment.PRODUCTION,
  sandbox: Environment.SANDBOX,
};

/** The App Store through Apple's own library: StoreKit 2 transactions, the Server API, and notifications V2. */
export function createApple(credentials: AppleCredentials, settings: AppleSettings): AppStore {
  const { rootCertificates } = settings;
  const { bundleId, appAppleId } = credentials;
  const verifiers = {
    production: new SignedDataVerifier(rootCertificates, false, Environment.PRODUCTION, bundleId, appAppleId),
    sandbox: new SignedDataVerifier(rootCertificates, false, Environment.SANDBOX, bundleId),
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

type Verifiers = Record<StoreEnvironment, SignedDataVerifier>;

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

const states: Readonly<Record<number, PurchaseState>> = {
  [Status.ACTIVE]: 'active',
  [Status.EXPIRED]: 'expired',
  [Status.BILLING_RETRY]: 'on_hold',
  [Status.BILLING_GRACE_PERIOD]: 'grace',
  [Status.REVOKED]: 'revoked',
};

function describeSubscription(
  transaction: JWSTransactionDecodedPayload,
  renewal: JWSRenewalInfoDecodedPayload,
  status: number,
  environment: StoreEnvironment,
): StorePurchase {
  const next = renewal.autoRenewProductId;
  return {
    ...describe(transaction, environment),
    kind: 'subscription',
    state: states[status] ?? 'expired',
    autoRenew: renewal.autoRenewStatus === 1,
    graceEndsAt: instant(renewal.gracePeriodExpiresDate),
    nextProductId: next !== undefined && next !== transaction.productId ? next : null,
    asOf: new Date(Math.max(transaction.signedDate ?? 0, renewal.signedDate ?? 0)),
  };
}

function describeOneTime(transaction: JWSTransactionDecodedPayload, environment: StoreEnvironment): StorePurchase {
  const { revocationDate, expiresDate } = transaction;
  const isOver = expiresDate !== undefined && expiresDate <= (transaction.signedDate ?? 0);
  return {
    ...describe(transaction, environment),
    kind: 'one_time',
    state: revocationDate !== undefined ? 'revoked' : isOver ? 'expired' : 'active',
    autoRenew: false,
    graceEndsAt: null,
    nextProductId: null,
    asOf: new Date(transaction.signedDate ?? 0),
  };
}

function describe(transaction: JWSTransactionDecodedPayload, environment: StoreEnvironment) {
  const { transactionId = '', originalTransactionId = transactionId, productId = '', purchaseDate = 0 } = transaction;
  const { price, currency } = transaction;
  return {
    reference: { id: originalTransactionId, environment, productId, transactionId },
    transactionId,
    isTrial: transaction.offerDiscountType === 'FREE_TRIAL',
    purchasedAt: new Date(transaction.originalPurchaseDate ?? purchaseDate),
    periodStartsAt: new Date(purchaseDate),
    expiresAt: instant(transaction.expiresDate),
    resumesAt: null,
    revokedAt: instant(transaction.revocationDate),
    // Apple's milliunits are thousandths of the major unit, whatever the currency.
    price: price !== undefined && currency !== undefined ? { amount: price / 1000, currency } : null,
    replacesId: null,
    needsAcknowledgement: false,
    accountUuid: transaction.appAccountToken ?? null,
    countryIso: countryOf(transaction.storefront),
  };
}

function instant(ms: number | undefined): Date | null {
  return ms === undefined ? null : new Date(ms);
}

const alphaTwos = new Map(iso31661.map(({ alpha2, alpha3 }) => [alpha3, alpha2]));

/** Apple names storefronts by three letters. */
function countryOf(storefront: string | undefined): string | null {
  return storefront === undefined ? null : (alphaTwos.get(storefront) ?? null);
}

async function readNotification(body: Buffer, verifiers: Verifiers): Promise<StoreNotification> {
  const signedPayload = payloadOf(body);
  const environment = notificationEnvironment(signedPayload);
  if (environment === undefined) throw new AppError('invalid_signature');
  try {
    const told = await verifiers[environment].verifyAndDecodeNotification(signedPayload);
    const type = [told.notificationType, told.subtype].filter(Boolean).join('/');
    const at = new Date(told.signedDate ?? 0);
    const signed = told.data?.signedTransactionInfo;
    if (signed === undefined) return { id: told.notificationUUID ?? '', purchase: null, type, at };
    const transaction = await verifiers[environment].verifyAndDecodeTransaction(signed);
    return { id: told.notificationUUID ?? '', purchase: describe(transaction, environment).reference, type, at };
  } catch (error) {
    if (!(error instanceof VerificationException)) throw error;
    if (error.status === VerificationStatus.RETRYABLE_VERIFICATION_FAILURE) throw new AppError('service_unavailable');
    throw new AppError('invalid_signature');
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

function notificationEnvironment(signedPayload: string): StoreEnvironment | undefined {
  try {
    const payload = Buffer.from(signedPayload.split('.')[1] ?? '', 'base64url').toString('utf8');
    type Part = { environment?: unknown } | undefined;
    const { data, summary, appData } = JSON.parse(payload) as Record<string, Part>;
    const named = (data ?? summary ?? appData)?.environment;
    return (Object.keys(environments) as StoreEnvironment[]).find((name) => environments[name] === named);
  } catch {
    return undefined;
  }
}

/** Which app a notification says that it is of; nothing is verified. */
export function appleApp(body: Buffer): string | undefined {
  try {
    const payload = Buffer.from(payloadOf(body).split('.')[1] ?? '', 'base64url').toString('utf8');
    type Part = { bundleId?: unknown } | undefined;
    const { data, summary, appData } = JSON.parse(payload) as Record<string, Part>;
    const named = (data ?? summary ?? appData)?.bundleId;
    return typeof named === 'string' ? named : undefined;
  } catch {
    return undefined;
  }
}

function refused(reason: RefusalReason, message: string): StoreAnswer {
  return { outcome: 'refused', reason, message };
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

async function testCredentials(credentials: AppleCredentials, settings: AppleSettings): Promise<CredentialProblem[]> {
  try {
    createPrivateKey(credentials.privateKey);
  } catch {
    return [{ field: 'private_key', message: 'This is not a private key in PEM.' }];
  }
  try {
    await new ApiClient(credentials, Environment.SANDBOX, settings).requestTestNotification();
    return [];
  } catch (error) {
    const status = error instanceof APIException ? error.httpStatusCode : 0;
    if (status === 401)
      return [
        { field: 'private_key', message: 'Apple refuses the key: it, key_id, issuer_id and bundle_id must fit.' },
      ];
    if (status === 404)
      return [{ field: 'notifications', message: 'App Store Connect has no address for server notifications.' }];
    return [{ field: 'bundle_id', message: 'Apple could not be asked just now.' }];
  }
}

class ApiClient extends AppStoreServerAPIClient {
  constructor(
    { privateKey, keyId, issuerId, bundleId }: AppleCredentials,
    private readonly environment: Environment,
    private readonly settings: AppleSettings,
  ) {
    super(privateKey, keyId, issuerId, bundleId, environment);
  }

  /** With a time limit, which the library's own has not; and at another address where the settings name one. */
  protected override makeFetchRequest(
    path: string,
    query: URLSearchParams,
    method: string,
    body: string | Buffer | undefined,
    headers: Record<string, string>,
  ): ReturnType<AppStoreServerAPIClient['makeFetchRequest']> {
    const { apiBase, timeoutMs } = this.settings;
    const other = apiBase && (this.environment === Environment.SANDBOX ? `${apiBase}/sandbox` : apiBase);
    const base = other ?? (this as unknown as { urlBase: string }).urlBase;
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = fetch(`${base}${path}?${query.toString()}`, {
      method,
      headers,
      signal,
      ...(body !== undefined && { body }),
    });
    return sent as unknown as ReturnType<AppStoreServerAPIClient['makeFetchRequest']>;
  }
}
