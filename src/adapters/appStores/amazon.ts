import { logger } from '../logger';
import { readNotification, type NotificationSettings } from './amazonNotification';
import { askStore, type Asked } from './ask';
import { type AmazonCredentials } from './credentials';
import {
  refused,
  type AppStore,
  type CredentialProblem,
  type StoreAnswer,
  type StoreEnvironment,
  type StorePurchase,
} from './store';

export interface AmazonSettings extends NotificationSettings {
  /** `https://appstore-sdk.amazon.com`; the sandbox's is under `/sandbox` there. */
  apiBase: string;
}

/** The Amazon Appstore: its Receipt Verification Service, and notifications through SNS. */
export function createAmazon(credentials: AmazonCredentials, settings: AmazonSettings): AppStore {
  const ask = (receiptId: string, userId: string, environment: StoreEnvironment) => {
    const secret = credentials.sharedSecret;
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

async function answering(ask: () => Promise<StoreAnswer>): Promise<StoreAnswer> {
  try {
    return await ask();
  } catch (error) {
    // The name only: the address in the message holds the secret.
    logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'the Amazon Appstore gave no answer');
    return { outcome: 'unavailable' };
  }
}
