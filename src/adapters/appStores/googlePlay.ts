import { createPrivateKey } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { decode, sign, verify } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { bearerToken } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { logger } from '../logger';
import { findPublishedKey } from './publishedKeys';
import {
  type AppStore,
  type CredentialProblem,
  type PurchaseReference,
  type PurchaseState,
  type ReceiptClaim,
  type RefusalReason,
  type StoreAnswer,
  type StoreNotification,
  type StorePurchase,
} from './store';

export interface GooglePlayCredentials {
  packageName: string;
  /** Of a service account that may see the app's orders. */
  clientEmail: string;
  /** PEM, PKCS #8, RSA. */
  privateKey: string;
  /** Who pushes: the service account of the Pub/Sub subscription, and the audience that it is set to. */
  pushServiceAccount: string;
  pushAudience: string;
}

export interface GooglePlaySettings {
  /** `https://androidpublisher.googleapis.com`, `https://oauth2.googleapis.com/token`, and Google's public keys. */
  apiBase: string;
  tokenUrl: string;
  keysUrl: string;
  timeoutMs: number;
}

/**
 * Google Play by five calls of its Developer API. Google's own client would bring its generated code for every other
 * call, and no way to reach another address.
 */
export function createGooglePlay(credentials: GooglePlayCredentials, settings: GooglePlaySettings): AppStore {
  const { packageName } = credentials;
  const purchases = `${settings.apiBase}/androidpublisher/v3/applications/${encodeURIComponent(packageName)}/purchases`;
  const call = (path: string, method: 'GET' | 'POST' = 'GET') =>
    askGoogle(credentials, settings, purchases + path, method);

  const read = async (token: string): Promise<StoreAnswer> => {
    const name = encodeURIComponent(token);
    const subscription = await call(`/subscriptionsv2/tokens/${name}`);
    if (subscription.status === 200) return describeSubscription(subscription.body as Subscription, token, call);
    if (!isUnknown(subscription.status)) return failed(subscription.status);
    const product = await call(`/productsv2/tokens/${name}`);
    if (product.status !== 200) return failed(product.status);
    return { outcome: 'found', purchase: describeProduct(product.body as Product, token) };
  };

  return {
    name: 'google-play',

    validate: (claim) =>
      answering(() => {
        const claimed = readClaim(claim);
        if (claimed.token === '') return refused('invalid_receipt', 'The receipt holds no purchase token.');
        if ((claimed.packageName ?? packageName) !== packageName)
          return refused('wrong_app', 'The purchase is of another app.');
        return read(claimed.token);
      }),

    lookUp: (reference) => answering(() => read(reference.id)),

    async acknowledge({ kind, reference }) {
      const of = kind === 'subscription' ? 'subscriptions' : 'products';
      const path = `/${of}/${encodeURIComponent(reference.productId)}/tokens/${encodeURIComponent(reference.id)}:acknowledge`;
      const { status } = await call(path, 'POST').catch(() => ({ status: 0 }));
      return status >= 200 && status < 300 ? 'done' : 'unavailable';
    },

    readNotification: (body, headers) => readNotification(body, headers, credentials, settings),

    testCredentials: () => testCredentials(credentials, settings, () => call('/voidedpurchases?maxResults=1')),
  };
}

/** The purchase object as the app has it (wire E.2), or the token alone. */
function readClaim({ receipt, packageName }: ReceiptClaim): { token: string; packageName?: string | undefined } {
  const text = receipt.trim();
  if (!text.startsWith('{')) return { token: /^[\w.~-]{1,1500}$/.test(text) ? text : '', packageName };
  try {
    const sent = JSON.parse(text) as { purchaseToken?: unknown; packageName?: unknown };
    return {
      token: typeof sent.purchaseToken === 'string' ? sent.purchaseToken : '',
      packageName: typeof sent.packageName === 'string' ? sent.packageName : packageName,
    };
  } catch {
    return { token: '' };
  }
}

interface Money {
  currencyCode?: string;
  units?: string;
  nanos?: number;
}

interface LineItem {
  productId?: string;
  expiryTime?: string;
  latestSuccessfulOrderId?: string;
  autoRenewingPlan?: { autoRenewEnabled?: boolean; recurringPrice?: Money };
  offerPhase?: { freeTrial?: object };
  deferredItemReplacement?: { productId?: string };
}

interface Subscription {
  subscriptionState?: string;
  acknowledgementState?: string;
  startTime?: string;
  regionCode?: string;
  linkedPurchaseToken?: string;
  latestOrderId?: string;
  lineItems?: LineItem[];
  pausedStateContext?: { autoResumeTime?: string };
  externalAccountIdentifiers?: { obfuscatedExternalAccountId?: string };
  testPurchase?: object;
}

interface Product {
  orderId?: string;
  regionCode?: string;
  acknowledgementState?: string;
  purchaseCompletionTime?: string;
  purchaseStateContext?: { purchaseState?: string };
  productLineItem?: { productId?: string }[];
  obfuscatedExternalAccountId?: string;
  testPurchaseContext?: object;
}

interface Voided {
  purchaseToken?: string;
  voidedTimeMillis?: string;
}

interface VoidedPage {
  voidedPurchases?: Voided[];
  tokenPagination?: { nextPageToken?: string };
}

/** CANCELED has only stopped renewing: what is paid for still runs. */
const states: Readonly<Record<string, PurchaseState>> = {
  SUBSCRIPTION_STATE_PENDING: 'pending',
  SUBSCRIPTION_STATE_ACTIVE: 'active',
  SUBSCRIPTION_STATE_CANCELED: 'active',
  SUBSCRIPTION_STATE_IN_GRACE_PERIOD: 'grace',
  SUBSCRIPTION_STATE_ON_HOLD: 'on_hold',
  SUBSCRIPTION_STATE_PAUSED: 'paused',
  SUBSCRIPTION_STATE_EXPIRED: 'expired',
  SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED: 'expired',
};

type Call = (path: string) => Promise<Answered>;

/** Of a subscription that was given back, only the list of voided purchases tells. */
async function describeSubscription(found: Subscription, token: string, call: Call): Promise<StoreAnswer> {
  const state = states[found.subscriptionState ?? ''] ?? 'expired';
  const revokedAt = state === 'expired' ? await findVoided(token, call) : null;
  const item = lastOf(found.lineItems ?? []);
  const plan = item.autoRenewingPlan;
  const expiresAt = instant(item.expiryTime);
  const purchase: StorePurchase = {
    reference: {
      id: token,
      environment: found.testPurchase ? 'sandbox' : 'production',
      productId: item.productId ?? '',
    },
    transactionId: item.latestSuccessfulOrderId ?? found.latestOrderId ?? token,
    kind: 'subscription',
    state: revokedAt ? 'revoked' : state,
    isTrial: item.offerPhase?.freeTrial !== undefined,
    autoRenew: plan?.autoRenewEnabled ?? false,
    purchasedAt: instant(found.startTime) ?? new Date(0),
    periodStartsAt: null,
    expiresAt,
    // In its grace period Google's expiry is the end of that.
    graceEndsAt: state === 'grace' ? expiresAt : null,
    resumesAt: instant(found.pausedStateContext?.autoResumeTime),
    revokedAt,
    price: priceOf(plan?.recurringPrice),
    nextProductId: item.deferredItemReplacement?.productId ?? null,
    replacesId: found.linkedPurchaseToken ?? null,
    needsAcknowledgement: isUnacknowledged(found.acknowledgementState),
    accountUuid: found.externalAccountIdentifiers?.obfuscatedExternalAccountId ?? null,
    countryIso: found.regionCode ?? null,
    asOf: new Date(),
  };
  return { outcome: 'found', purchase };
}

async function findVoided(token: string, call: Call): Promise<Date | null> {
  for (let next: string | undefined = ''; next !== undefined;) {
    const { status, body } = await call(`/voidedpurchases?type=1${next && `&token=${encodeURIComponent(next)}`}`);
    if (status !== 200) throw new Unavailable(status);
    const { voidedPurchases = [], tokenPagination } = body as VoidedPage;
    const voided = voidedPurchases.find(({ purchaseToken }) => purchaseToken === token);
    if (voided) return new Date(Number(voided.voidedTimeMillis));
    next = tokenPagination?.nextPageToken;
  }
  return null;
}

function describeProduct(found: Product, token: string): StorePurchase {
  const purchasedAt = instant(found.purchaseCompletionTime) ?? new Date(0);
  const state = found.purchaseStateContext?.purchaseState;
  return {
    reference: {
      id: token,
      environment: found.testPurchaseContext ? 'sandbox' : 'production',
      productId: found.productLineItem?.[0]?.productId ?? '',
    },
    transactionId: found.orderId ?? token,
    kind: 'one_time',
    state: state === 'PENDING' ? 'pending' : state === 'PURCHASED' ? 'active' : 'revoked',
    isTrial: false,
    autoRenew: false,
    purchasedAt,
    periodStartsAt: purchasedAt,
    expiresAt: null,
    graceEndsAt: null,
    resumesAt: null,
    revokedAt: state === 'CANCELLED' ? new Date() : null,
    price: null,
    nextProductId: null,
    replacesId: null,
    needsAcknowledgement: isUnacknowledged(found.acknowledgementState),
    accountUuid: found.obfuscatedExternalAccountId ?? null,
    countryIso: found.regionCode ?? null,
    asOf: new Date(),
  };
}

/** The one that runs longest: an upgrade leaves the old one beside it. */
function lastOf(items: readonly LineItem[]): LineItem {
  return [...items].sort((a, b) => (b.expiryTime ?? '').localeCompare(a.expiryTime ?? ''))[0] ?? {};
}

const isUnacknowledged = (state: string | undefined) => state === 'ACKNOWLEDGEMENT_STATE_PENDING';

function priceOf(money: Money | undefined): StorePurchase['price'] {
  if (money?.currencyCode === undefined) return null;
  return {
    amount: Number(money.units ?? 0) + Math.round((money.nanos ?? 0) / 1e5) / 1e4,
    currency: money.currencyCode,
  };
}

function instant(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}

interface Answered {
  status: number;
  body: unknown;
}

/** An answer that is none of the purchase: try again later, or let somebody mend the credentials. */
class Unavailable extends Error {
  constructor(readonly status: number) {
    super(`Google answered ${status}`);
  }
}

const isUnknown = (status: number) => status === 400 || status === 404 || status === 410;

function failed(status: number): StoreAnswer {
  if (status === 401 || status === 403) return refused('store_credentials', 'Google refuses the service account.');
  if (isUnknown(status)) return refused('invalid_receipt', 'Google knows no such purchase of this app.');
  return { outcome: 'unavailable' };
}

function refused(reason: RefusalReason, message: string): StoreAnswer {
  return { outcome: 'refused', reason, message };
}

async function answering(ask: () => StoreAnswer | Promise<StoreAnswer>): Promise<StoreAnswer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Unavailable) return failed(error.status);
    logger.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'Google Play gave no answer');
    return { outcome: 'unavailable' };
  }
}

/** By key, so that a changed key gets a token of its own. Google's live an hour. */
const accessTokens = new LRUCache<string, string>({ max: 1_000, ttl: 50 * 60_000 });

async function askGoogle(
  credentials: GooglePlayCredentials,
  settings: GooglePlaySettings,
  url: string,
  method: 'GET' | 'POST',
): Promise<Answered> {
  const token = await getAccessToken(credentials, settings);
  const answer = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(method === 'POST' && { 'Content-Length': '0' }) },
    signal: AbortSignal.timeout(settings.timeoutMs),
  });
  if (answer.status === 401) accessTokens.delete(nameOf(credentials));
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as unknown) };
}

const nameOf = ({ clientEmail, privateKey }: GooglePlayCredentials) => `${clientEmail}\n${privateKey}`;

/** OAuth 2.0 for service accounts: an assertion that our key signs, for a token of an hour. */
async function getAccessToken(credentials: GooglePlayCredentials, settings: GooglePlaySettings): Promise<string> {
  const known = accessTokens.get(nameOf(credentials));
  if (known !== undefined) return known;
  const assertion = sign({ scope: 'https://www.googleapis.com/auth/androidpublisher' }, credentials.privateKey, {
    algorithm: 'RS256',
    issuer: credentials.clientEmail,
    audience: settings.tokenUrl,
    expiresIn: '1h',
  });
  const answer = await fetch(settings.tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    signal: AbortSignal.timeout(settings.timeoutMs),
  });
  // A refused assertion is a 400 here, and means the credentials, not the purchase.
  if (!answer.ok) throw new Unavailable(answer.status === 400 ? 401 : answer.status);
  const { access_token } = (await answer.json()) as { access_token: string };
  accessTokens.set(nameOf(credentials), access_token);
  return access_token;
}

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

/** Which app a notification says that it is of; nothing is verified. */
export function googlePlayApp(body: Buffer): string | undefined {
  try {
    return readPush(body).told.packageName;
  } catch {
    return undefined;
  }
}

async function readNotification(
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

async function testCredentials(
  credentials: GooglePlayCredentials,
  settings: GooglePlaySettings,
  ask: () => Promise<Answered>,
): Promise<CredentialProblem[]> {
  try {
    if (createPrivateKey(credentials.privateKey).asymmetricKeyType !== 'rsa') throw new TypeError();
  } catch {
    return [{ field: 'private_key', message: 'This is not an RSA private key in PEM.' }];
  }
  try {
    await getAccessToken(credentials, settings);
  } catch (error) {
    if (error instanceof Unavailable && error.status === 401)
      return [{ field: 'client_email', message: 'Google does not take this key of this service account.' }];
    return [{ field: 'client_email', message: 'Google could not be asked just now.' }];
  }
  const { status } = await ask().catch(() => ({ status: 0 }));
  if (status === 200) return [];
  if (status === 401 || status === 403)
    return [{ field: 'client_email', message: "The service account may not see this app's orders in Play Console." }];
  if (status === 404) return [{ field: 'package_name', message: 'Google knows no such app.' }];
  return [{ field: 'package_name', message: 'Google could not be asked just now.' }];
}
