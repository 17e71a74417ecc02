import { verify, X509Certificate, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../kit/errors';
import { askStore } from './ask';
import { type AmazonCredentials } from './credentials';
import { type PurchaseReference, type StoreNotification } from './store';
import { readSigned, tryToRead } from './unverified';

export interface NotificationSettings {
  /** Another address of signing certificates, for tests. */
  certificateBase: string | undefined;
  timeoutMs: number;
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

interface NotificationMessage {
  appPackageName?: string;
  notificationType?: string;
  appUserId?: string;
  receiptId?: string;
  timestamp?: number;
  betaProductTransaction?: boolean;
}

/** Throws `invalid_signature` unless Amazon's topic has signed the notification for this merchant's app. */
export async function readNotification(
  body: Buffer,
  credentials: AmazonCredentials,
  settings: NotificationSettings,
): Promise<StoreNotification> {
  const envelope = parse(body);
  if (envelope.TopicArn !== credentials.topicArn) throw new AppError('invalid_signature');
  await verifyEnvelope(envelope, settings);
  const { MessageId: id = '', Timestamp = '', Type: type = '' } = envelope;
  const at = new Date(Timestamp);
  if (type === 'SubscriptionConfirmation') await confirm(envelope, settings);
  if (type !== 'Notification') return { id, purchase: null, type, at };
  const message = JSON.parse(envelope.Message ?? '') as NotificationMessage;
  if (message.appPackageName !== credentials.packageName) throw new AppError('invalid_signature');
  const purchase: PurchaseReference | null =
    message.receiptId === undefined
      ? null
      : {
          id: message.receiptId,
          environment: message.betaProductTransaction === true ? 'sandbox' : 'production',
          productId: '',
          userId: message.appUserId,
        };
  return {
    id,
    purchase,
    type: message.notificationType ?? '',
    at: message.timestamp ? new Date(message.timestamp) : at,
  };
}

/** The app that a notification names, unverified. A message of the topic itself names only the topic. */
export function amazonApp(body: Buffer): { packageName?: string | undefined; topicArn?: string | undefined } {
  const named = tryToRead(() => {
    const { TopicArn: topicArn, Message = '', Type } = parse(body);
    if (Type !== 'Notification') return { topicArn };
    return { topicArn, packageName: (JSON.parse(Message) as NotificationMessage).appPackageName };
  });
  return named ?? {};
}

const parse = (body: Buffer) => readSigned(() => JSON.parse(body.toString('utf8')) as Envelope);

/** The fields that SNS signs, in its order. */
const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;

async function verifyEnvelope(envelope: Envelope, settings: NotificationSettings): Promise<void> {
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

/** Anyone can sign with a certificate of their own, so only certificates at an address of SNS are accepted. */
function isAmazons(address: string, { certificateBase }: NotificationSettings): boolean {
  if (certificateBase !== undefined && address.startsWith(`${certificateBase}/`)) return true;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'https:' && url.port === '' && url.username === '' && snsHost.test(url.hostname);
}

const keys = new LRUCache<string, KeyObject>({ max: 100, ttl: 24 * 3_600_000 });

async function findKey(address: string, { timeoutMs }: NotificationSettings): Promise<KeyObject> {
  const known = keys.get(address);
  if (known) return known;
  const answer = await askStore(address, timeoutMs).catch(() => undefined);
  if (answer?.status !== 200) throw new AppError('service_unavailable', { retryAfterSeconds: 30 });
  const key = readSigned(() => new X509Certificate(answer.text).publicKey);
  keys.set(address, key);
  return key;
}

/** The topic sends nothing before its confirmation address was called. */
async function confirm({ SubscribeURL = '' }: Envelope, settings: NotificationSettings): Promise<void> {
  if (!isAmazons(SubscribeURL, settings)) throw new AppError('invalid_signature');
  const answer = await askStore(SubscribeURL, settings.timeoutMs).catch(() => undefined);
  if (answer?.status !== 200) throw new AppError('service_unavailable', { retryAfterSeconds: 30 });
}
