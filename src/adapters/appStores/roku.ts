import { decode, verify } from 'jsonwebtoken';
import { AppError } from '../../kit/errors';
import { logger } from '../logger';
import { askStore, type Asked } from './ask';
import { findPublishedKey } from './publishedKeys';
import {
  type AppStore,
  type CredentialProblem,
  type RefusalReason,
  type StoreAnswer,
  type StoreNotification,
  type StorePurchase,
} from './store';

export interface RokuCredentials {
  /** Of the partner account. It stands in Roku's addresses: they are never logged. */
  partnerApiKey: string;
  /** The app in the Channel Store: one key may serve several. */
  channelId: string;
}

export interface RokuSettings {
  /** `https://apipub.roku.com` */
  apiBase: string;
  /** `https://assets.cs.roku.com/keys/partner-jwks.json` */
  keysUrl: string;
  timeoutMs: number;
}

/** Roku Pay: its transaction service, and its signed pushes. */
export function createRoku(credentials: RokuCredentials, settings: RokuSettings): AppStore {
  const ask = (transactionId: string, key = credentials.partnerApiKey) => {
    const path = ['validate-transaction', key, transactionId].map(encodeURIComponent).join('/');
    const headers = { Accept: 'application/json' };
    return askStore(`${settings.apiBase}/listen/transaction-service.svc/${path}`, settings.timeoutMs, { headers });
  };

  const read = (transactionId: string) =>
    answering(async () => {
      if (!/^[\w-]{1,100}$/.test(transactionId)) return refused('invalid_receipt', 'The receipt is no transaction id.');
      return answerOf(await ask(transactionId), credentials);
    });

  return {
    name: 'roku',

    validate: ({ receipt }) => read(receipt.trim()),

    lookUp: ({ id, transactionId }) => read(transactionId ?? id),

    readNotification: (body) => readNotification(body, credentials, settings),

    async testCredentials(): Promise<CredentialProblem[]> {
      const asked = await ask('00000000-0000-0000-0000-000000000000').catch(() => undefined);
      if (asked?.status !== 200 && asked?.status !== 400)
        return [{ field: 'partner_api_key', message: 'Roku could not be asked just now.' }];
      if (!isUnauthorised(asked)) return [];
      return [{ field: 'partner_api_key', message: 'Roku does not know this key.' }];
    },
  };
}

interface Transaction {
  status?: number;
  errorMessage?: string | null;
  transactionId?: string;
  OriginalTransactionId?: string;
  channelId?: number | string;
  productId?: string;
  purchaseDate?: string;
  originalPurchaseDate?: string;
  expirationDate?: string | null;
  isEntitled?: boolean;
  cancelled?: boolean;
  isFreeTrial?: boolean;
  amount?: number;
  currency?: string;
  cancelledTransactionIds?: string[] | null;
  partnerReferenceId?: string | null;
  purchaseStatus?: string;
}

/** A wrong key is a 200 that says so in words. */
function isUnauthorised({ status, text }: Asked): boolean {
  return status === 200 && /"errorMessage"\s*:\s*"UNAUTHORIZED/i.test(text);
}

function answerOf(asked: Asked, credentials: RokuCredentials): StoreAnswer {
  if (asked.status === 400 || asked.status === 404) return unknown;
  if (asked.status !== 200) return { outcome: 'unavailable' };
  if (isUnauthorised(asked)) return refused('store_credentials', "Roku refuses this merchant's key.");
  const found = JSON.parse(asked.text) as Transaction;
  if (found.status !== 0) return unknown;
  if (found.channelId !== undefined && String(found.channelId) !== credentials.channelId)
    return refused('wrong_app', 'The purchase is of another app.');
  return { outcome: 'found', purchase: describe(found, asked.at) };
}

const unknown = refused('invalid_receipt', 'Roku knows no such transaction.');

function describe(found: Transaction, at: Date): StorePurchase {
  const { transactionId = '', OriginalTransactionId: originalId = transactionId, productId = '' } = found;
  const expiresAt = instant(found.expirationDate);
  const isOver = expiresAt !== null && expiresAt <= at;
  const state = stateOf(found, isOver, expiresAt !== null);
  const purchasedAt = instant(found.originalPurchaseDate) ?? instant(found.purchaseDate) ?? new Date(0);
  return {
    reference: { id: originalId, environment: 'production', productId, transactionId },
    transactionId,
    kind: expiresAt === null ? 'one_time' : 'subscription',
    state,
    isTrial: found.isFreeTrial === true,
    autoRenew: expiresAt !== null && found.cancelled !== true && state !== 'expired' && state !== 'revoked',
    purchasedAt,
    periodStartsAt: instant(found.purchaseDate),
    expiresAt,
    // Roku does not say when grace ends; while it is entitled, it goes on.
    graceEndsAt: null,
    resumesAt: null,
    revokedAt: state === 'revoked' ? at : null,
    price:
      found.amount !== undefined && found.currency ? { amount: found.amount, currency: isoCode(found.currency) } : null,
    nextProductId: null,
    replacesId: found.cancelledTransactionIds?.[0] ?? null,
    needsAcknowledgement: false,
    accountUuid: found.partnerReferenceId ?? null,
    countryIso: null,
    asOf: at,
  };
}

/** From three fields (subscriptions 12). What is bought once is never "entitled": only its cancellation counts. */
function stateOf(found: Transaction, isOver: boolean, isSubscription: boolean): StorePurchase['state'] {
  const isCancelled = found.cancelled === true;
  if (!isSubscription) return isCancelled ? 'revoked' : 'active';
  if (!isOver) return found.isEntitled === true ? 'active' : 'revoked';
  if (found.isEntitled === true) return 'grace';
  return isCancelled ? 'expired' : 'on_hold';
}

/** `/Date(1700000000000+0000)/` */
function instant(text: string | null | undefined): Date | null {
  const ms = /^\/Date\((\d+)(?:[+-]\d{4})?\)\/$/.exec(text ?? '')?.[1];
  return ms === undefined ? null : new Date(Number(ms));
}

/** Some answers say `$` or `usd`. */
function isoCode(currency: string): string {
  return currency === '$' ? 'USD' : currency.toUpperCase();
}

function refused(reason: RefusalReason, message: string): StoreAnswer {
  return { outcome: 'refused', reason, message };
}

async function answering(ask: () => Promise<StoreAnswer>): Promise<StoreAnswer> {
  try {
    return await ask();
  } catch (error) {
    // The name only: the address in the message holds the key.
    logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'Roku gave no answer');
    return { outcome: 'unavailable' };
  }
}

interface Pushed {
  transactionId?: string;
  originalTransactionId?: string;
  transactionType?: string;
  channelId?: number | string;
  productCode?: string;
  responseKey?: string;
  eventDate?: string;
}

interface PushClaims {
  'x-Roku-message'?: string;
  'x-Roku-message-key'?: string;
}

/** Which app a push says that it is of; nothing is verified. */
export function rokuApp(body: Buffer): string | undefined {
  try {
    const { channelId } = readMessage(decode(body.toString('utf8').trim()) as PushClaims);
    return channelId === undefined ? undefined : String(channelId);
  } catch {
    return undefined;
  }
}

async function readNotification(
  body: Buffer,
  credentials: RokuCredentials,
  settings: RokuSettings,
): Promise<StoreNotification> {
  const claims = await verifyPush(body.toString('utf8').trim(), settings);
  const told = readMessage(claims);
  if (String(told.channelId) !== credentials.channelId) throw new AppError('invalid_signature');
  const { transactionId, originalTransactionId: id = transactionId, productCode: productId = '' } = told;
  return {
    id: claims['x-Roku-message-key'] ?? '',
    purchase: id === undefined ? null : { id, environment: 'production', productId, transactionId },
    type: told.transactionType ?? '',
    at: new Date(told.eventDate ?? 0),
    // What old and new documents of Roku both take for "received".
    reply: told.responseKey ?? '',
  };
}

function readMessage(claims: PushClaims): Pushed {
  try {
    return JSON.parse(Buffer.from(claims['x-Roku-message'] ?? '', 'base64url').toString('utf8')) as Pushed;
  } catch {
    throw new AppError('invalid_signature');
  }
}

async function verifyPush(jws: string, settings: RokuSettings): Promise<PushClaims> {
  const kid = decode(jws, { complete: true })?.header.kid;
  const key = kid === undefined ? undefined : await findPublishedKey(settings.keysUrl, kid, settings.timeoutMs);
  if (!key) throw new AppError('invalid_signature');
  try {
    return verify(jws, key, { algorithms: ['RS256'] }) as PushClaims;
  } catch {
    throw new AppError('invalid_signature');
  }
}
