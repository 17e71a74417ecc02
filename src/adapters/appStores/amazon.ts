import { createPublicKey, verify, X509Certificate, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../kit/errors';
import { logger } from '../logger';
import { askStore, type Asked } from './ask';
import {
  type AppStore,
  type CredentialProblem,
  type PurchaseReference,
  type RefusalReason,
  type StoreAnswer,
  type StoreEnvironment,
  type StoreNotification,
  type StorePurchase,
} from './store';

export interface AmazonCredentials {
  packageName: string;
  /** Of the developer account. It stands in Amazon's addresses: they are never logged. */
  sharedSecret: string;
  /** The SNS topic that the real-time notifications come from. */
  topicArn: string;
}

export interface AmazonSettings {
  /** `https://appstore-sdk.amazon.com`; the sandbox's is under `/sandbox` there. */
  apiBase: string;
  /** Where else than at Amazon a signing certificate may lie, for tests. */
  certificateBase: string | undefined;
  timeoutMs: number;
}

/** The Amazon Appstore: its Receipt Verification Service, and notifications through SNS. */
export function createAmazon(credentials: AmazonCredentials, settings: AmazonSettings): AppStore {
  const ask = (receiptId: string, userId: string, environment: StoreEnvironment, secret = credentials.sharedSecret) => {
    const parts = ['version', '1.0', 'verifyReceiptId', 'developer', secret, 'user', userId, 'receiptId', receiptId];
    const base = environment === 'sandbox' ? `${settings.apiBase}/sandbox` : settings.apiBase;
    return askStore(`${base}/${parts.map(encodeURIComponent).join('/')}`, settings.timeoutMs);
  };

  const read = async (receiptId: string, userId: string, environment: StoreEnvironment): Promise<StoreAnswer> => {
    const asked = await ask(receiptId, userId, environment);
    if (asked.status !== 200) return failed(asked.status);
    return { outcome: 'found', purchase: describe(asked, userId, environment) };
  };

  return {
    name: 'amazon',

    validate: (claim) =>
      answering(async () => {
        const { receipt, amazonUserId = '' } = claim;
        if (!/^[\w:=.+/~-]{1,500}$/.test(receipt.trim()))
          return refused('invalid_receipt', 'The receipt cannot be read.');
        const answer = await read(receipt.trim(), amazonUserId, 'production');
        if (answer.outcome !== 'refused' || answer.reason !== 'invalid_receipt') return answer;
        return read(receipt.trim(), amazonUserId, 'sandbox');
      }),

    lookUp: ({ id, userId = '', environment }) => answering(() => read(id, userId, environment)),

    readNotification: (body) => readNotification(body, credentials, settings),

    async testCredentials(): Promise<CredentialProblem[]> {
      const asked = await ask('paywall-test', 'paywall-test', 'production').catch(() => undefined);
      if (asked?.status === 496)
        return [{ field: 'shared_secret', message: 'Amazon does not know this shared secret.' }];
      // The receipt is nobody's: to be told so means that the secret was taken.
      if (asked && [400, 410, 497].includes(asked.status)) return [];
      return [{ field: 'shared_secret', message: 'Amazon could not be asked just now.' }];
    },
  };
}

interface Receipt {
  receiptId?: string;
  productId?: string;
  productType?: string;
  purchaseDate?: number | null;
  renewalDate?: number | null;
  cancelDate?: number | null;
  freeTrialEndDate?: number | null;
  gracePeriodEndDate?: number | null;
  deferredSku?: string | null;
  autoRenewing?: boolean | null;
  countryCode?: string | null;
  betaProduct?: boolean;
  testTransaction?: boolean;
}

function describe({ text, at }: Asked, userId: string, environment: StoreEnvironment): StorePurchase {
  const receipt = JSON.parse(text) as Receipt;
  const { receiptId = '', productId = '', purchaseDate, renewalDate, cancelDate, gracePeriodEndDate } = receipt;
  const isSubscription = receipt.productType === 'SUBSCRIPTION';
  const isTest = environment === 'sandbox' || receipt.testTransaction === true || receipt.betaProduct === true;
  const endedAt = instant(cancelDate);
  const graceEndsAt = instant(gracePeriodEndDate);
  const isGrace = graceEndsAt !== null && graceEndsAt > at;
  const isOver = endedAt !== null && endedAt <= at;
  return {
    reference: { id: receiptId, environment: isTest ? 'sandbox' : 'production', productId, userId },
    // One receipt is all of a purchase's renewals: a renewal is known by its date.
    transactionId: renewalDate ? `${receiptId}:${renewalDate}` : receiptId,
    kind: isSubscription ? 'subscription' : 'one_time',
    state: isOver ? (isSubscription ? 'expired' : 'revoked') : isGrace ? 'grace' : 'active',
    isTrial: (instant(receipt.freeTrialEndDate)?.getTime() ?? 0) > at.getTime(),
    autoRenew: isSubscription && endedAt === null && receipt.autoRenewing !== false,
    purchasedAt: new Date(purchaseDate ?? 0),
    periodStartsAt: null,
    expiresAt: endedAt ?? (isSubscription ? instant(renewalDate) : null),
    graceEndsAt: isGrace ? graceEndsAt : null,
    resumesAt: null,
    revokedAt: isOver && !isSubscription ? endedAt : null,
    price: null,
    nextProductId: receipt.deferredSku ?? null,
    replacesId: null,
    needsAcknowledgement: false,
    accountUuid: null,
    countryIso: receipt.countryCode ?? null,
    asOf: at,
  };
}

function instant(ms: number | null | undefined): Date | null {
  return ms === null || ms === undefined ? null : new Date(ms);
}

/** Amazon's own numbers beside those of HTTP. */
function failed(status: number): StoreAnswer {
  if (status === 496) return refused('store_credentials', "Amazon refuses this merchant's shared secret.");
  if (status === 410) return { outcome: 'taken_back' };
  if (status === 400 || status === 497) return refused('invalid_receipt', 'Amazon knows no such receipt of this user.');
  return { outcome: 'unavailable' };
}

function refused(reason: RefusalReason, message: string): StoreAnswer {
  return { outcome: 'refused', reason, message };
}

async function answering(ask: () => Promise<StoreAnswer>): Promise<StoreAnswer> {
  try {
    return await ask();
  } catch (error) {
    // The name only: the address in the message holds the secret.
    logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'the Amazon Appstore gave no answer');
    return { outcome: 'unavailable' };
  }
}

interface Envelope {
  Type?: string;
  MessageId?: string;
  TopicArn?: string;
  Subject?: string;
  Message?: string;
  Timestamp?: string;
  Token?: string;
  SubscribeURL?: string;
  SignatureVersion?: string;
  Signature?: string;
  SigningCertURL?: string;
}

interface Told {
  appPackageName?: string;
  notificationType?: string;
  appUserId?: string;
  receiptId?: string;
  timestamp?: number;
  betaProductTransaction?: boolean;
}

/** Which app a notification says that it is of; nothing is verified. A topic's own messages name only the topic. */
export function amazonApp(body: Buffer): { packageName?: string | undefined; topicArn?: string | undefined } {
  try {
    const { TopicArn: topicArn, Message = '', Type } = parse(body);
    if (Type !== 'Notification') return { topicArn };
    return { topicArn, packageName: (JSON.parse(Message) as Told).appPackageName };
  } catch {
    return {};
  }
}

async function readNotification(
  body: Buffer,
  credentials: AmazonCredentials,
  settings: AmazonSettings,
): Promise<StoreNotification> {
  const envelope = parse(body);
  if (envelope.TopicArn !== credentials.topicArn) throw new AppError('invalid_signature');
  await verifyEnvelope(envelope, settings);
  const { MessageId: id = '', Timestamp = '', Type: type = '' } = envelope;
  const at = new Date(Timestamp);
  if (type === 'SubscriptionConfirmation') await confirm(envelope, settings);
  if (type !== 'Notification') return { id, purchase: null, type, at };
  const told = JSON.parse(envelope.Message ?? '') as Told;
  if (told.appPackageName !== credentials.packageName) throw new AppError('invalid_signature');
  const purchase: PurchaseReference | null =
    told.receiptId === undefined
      ? null
      : {
          id: told.receiptId,
          environment: told.betaProductTransaction === true ? 'sandbox' : 'production',
          productId: '',
          userId: told.appUserId,
        };
  return { id, purchase, type: told.notificationType ?? '', at: told.timestamp ? new Date(told.timestamp) : at };
}

function parse(body: Buffer): Envelope {
  try {
    return JSON.parse(body.toString('utf8')) as Envelope;
  } catch {
    throw new AppError('invalid_signature');
  }
}

/** The fields that SNS signs, in its order. */
const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;

async function verifyEnvelope(envelope: Envelope, settings: AmazonSettings): Promise<void> {
  const { Type, SignatureVersion, Signature = '', SigningCertURL = '' } = envelope;
  const fields = Type === 'Notification' ? signedFields.Notification : signedFields.SubscriptionConfirmation;
  const present = fields.filter((name) => envelope[name] !== undefined);
  const signed = Buffer.from(present.map((name) => `${name}\n${envelope[name]}\n`).join(''));
  if (!isAmazons(SigningCertURL, settings)) throw new AppError('invalid_signature');
  const key = await findKey(SigningCertURL, settings);
  const digest = SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1';
  if (!verify(digest, signed, key, Buffer.from(Signature, 'base64'))) throw new AppError('invalid_signature');
}

const snsHost = /^sns\.[a-z0-9-]{3,30}\.amazonaws\.com(\.cn)?$/;

/** Anyone can sign with a certificate of their own: only what lies at SNS counts. */
function isAmazons(address: string, { certificateBase }: AmazonSettings): boolean {
  if (certificateBase !== undefined && address.startsWith(`${certificateBase}/`)) return true;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'https:' && url.port === '' && url.username === '' && snsHost.test(url.hostname);
}

const keys = new LRUCache<string, KeyObject>({ max: 100, ttl: 24 * 3_600_000 });

async function findKey(address: string, { timeoutMs }: AmazonSettings): Promise<KeyObject> {
  const known = keys.get(address);
  if (known) return known;
  const asked = await askStore(address, timeoutMs).catch(() => undefined);
  if (asked?.status !== 200) throw new AppError('service_unavailable', { retryAfterSeconds: 30 });
  try {
    const key = createPublicKey(new X509Certificate(asked.text).publicKey.export({ type: 'spki', format: 'pem' }));
    keys.set(address, key);
    return key;
  } catch {
    throw new AppError('invalid_signature');
  }
}

/** The topic sends nothing before its address has been called. */
async function confirm({ SubscribeURL = '' }: Envelope, settings: AmazonSettings): Promise<void> {
  if (!isAmazons(SubscribeURL, settings)) throw new AppError('invalid_signature');
  const asked = await askStore(SubscribeURL, settings.timeoutMs).catch(() => undefined);
  if (asked?.status !== 200) throw new AppError('service_unavailable', { retryAfterSeconds: 30 });
}
