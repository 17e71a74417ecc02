import { answering, askStore, type RawAnswer } from './ask';
import { type RokuCredentials } from './credentials';
import { readNotification, type NotificationSettings } from './rokuNotification';
import {
  refused,
  unreported,
  type AppStore,
  type CredentialProblem,
  type StoreAnswer,
  type StorePurchase,
} from './store';

export interface RokuSettings extends NotificationSettings {
  /** `https://apipub.roku.com` */
  apiBase: string;
}

/** Roku Pay: its transaction service, and its signed pushes. */
export function createRoku(credentials: RokuCredentials, settings: RokuSettings): AppStore {
  const ask = (transactionId: string) => {
    const path = ['validate-transaction', credentials.partnerApiKey, transactionId].map(encodeURIComponent).join('/');
    const headers = { Accept: 'application/json' };
    return askStore(`${settings.apiBase}/listen/transaction-service.svc/${path}`, settings.timeoutMs, { headers });
  };

  const read = (transactionId: string) =>
    answering('Roku', async () => {
      if (!/^[\w-]{1,100}$/.test(transactionId))
        return refused('invalid_receipt', 'The receipt is not a transaction id.');
      return answerOf(await ask(transactionId), credentials);
    });

  return {
    name: 'roku',

    validate: ({ receipt }) => read(receipt.trim()),

    lookUp: ({ id, transactionId }) => read(transactionId ?? id),

    readNotification: (body) => readNotification(body, credentials, settings),

    async testCredentials(): Promise<CredentialProblem[]> {
      const answer = await ask('00000000-0000-0000-0000-000000000000').catch(() => undefined);
      if (answer?.status !== 200 && answer?.status !== 400)
        return [{ field: 'partner_api_key', message: 'Roku is not available. Try again later.' }];
      if (!isUnauthorised(answer)) return [];
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

/** Roku answers a wrong key with status 200 and a text. */
function isUnauthorised({ status, text }: RawAnswer): boolean {
  return status === 200 && /"errorMessage"\s*:\s*"UNAUTHORIZED/i.test(text);
}

function answerOf(answer: RawAnswer, credentials: RokuCredentials): StoreAnswer {
  if (answer.status === 400 || answer.status === 404) return unknown;
  if (answer.status !== 200) return { outcome: 'unavailable' };
  if (isUnauthorised(answer)) return refused('store_credentials', "Roku refuses this merchant's key.");
  const found = JSON.parse(answer.text) as Transaction;
  if (found.status !== 0) return unknown;
  if (found.channelId !== undefined && String(found.channelId) !== credentials.channelId)
    return refused('wrong_app', 'The purchase is of another app.');
  return { outcome: 'found', purchase: describe(found, answer.at) };
}

const unknown = refused('invalid_receipt', 'Roku does not know this transaction.');

function describe(found: Transaction, at: Date): StorePurchase {
  const { transactionId = '', OriginalTransactionId: originalId = transactionId, productId = '' } = found;
  const expiresAt = instant(found.expirationDate);
  const isOver = expiresAt !== null && expiresAt <= at;
  const state = stateOf(found, isOver, expiresAt !== null);
  const purchasedAt = instant(found.originalPurchaseDate) ?? instant(found.purchaseDate) ?? new Date(0);
  return {
    // Roku does not report the end of the grace period. It lasts while the purchase is entitled.
    ...unreported,
    reference: { id: originalId, environment: 'production', productId, transactionId },
    transactionId,
    kind: expiresAt === null ? 'one_time' : 'subscription',
    state,
    isTrial: found.isFreeTrial === true,
    autoRenew: expiresAt !== null && found.cancelled !== true && state !== 'expired' && state !== 'revoked',
    purchasedAt,
    periodStartsAt: instant(found.purchaseDate),
    expiresAt,
    revokedAt: state === 'revoked' ? at : null,
    price:
      found.amount !== undefined && found.currency ? { amount: found.amount, currency: isoCode(found.currency) } : null,
    replacesId: found.cancelledTransactionIds?.[0] ?? null,
    accountUuid: found.partnerReferenceId ?? null,
    asOf: at,
  };
}

/** The state follows from three fields. A one-time purchase is never "entitled", so only its cancellation counts. */
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
