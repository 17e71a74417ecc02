import { readNotification, type NotificationSettings } from './amazonNotification';
import { answering, askStore, type RawAnswer } from './ask';
import { type AmazonCredentials } from './credentials';
import {
  refused,
  unreported,
  type AppStore,
  type CredentialProblem,
  type StoreAnswer,
  type StoreEnvironment,
  type StorePurchase,
} from './store';

export interface AmazonSettings extends NotificationSettings {
  /** `https://appstore-sdk.amazon.com`; the sandbox has the same address with `/sandbox`. */
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
    const answer = await ask(receiptId, userId, environment);
    if (answer.status !== 200) return failed(answer.status);
    return { outcome: 'found', purchase: describe(answer, userId, environment) };
  };

  return {
    name: 'amazon',

    validate: (claim) =>
      answering(name, async () => {
        const receipt = claim.receipt.trim();
        if (!/^[\w:=.+/~-]{1,500}$/.test(receipt)) return refused('invalid_receipt', 'The receipt cannot be read.');
        const answer = await read(receipt, claim.amazonUserId ?? '', 'production');
        if (answer.outcome !== 'refused' || answer.reason !== 'invalid_receipt') return answer;
        return read(receipt, claim.amazonUserId ?? '', 'sandbox');
      }),

    lookUp: ({ id, userId = '', environment }) => answering(name, () => read(id, userId, environment)),

    readNotification: (body) => readNotification(body, credentials, settings),

    testCredentials: async () =>
      problemsOf(await ask('paywall-test', 'paywall-test', 'production').catch(() => undefined)),
  };
}

const name = 'the Amazon Appstore';

/** The problems with a secret, by the answer about a receipt that does not exist. */
function problemsOf(answer: RawAnswer | undefined): CredentialProblem[] {
  if (answer?.status === 496) return [{ field: 'shared_secret', message: 'Amazon does not know this shared secret.' }];
  // Amazon reports that the receipt does not exist only after it has accepted the secret.
  if (answer && [400, 410, 497].includes(answer.status)) return [];
  return [{ field: 'shared_secret', message: 'Amazon is not available. Try again later.' }];
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

function describe({ text, at }: RawAnswer, userId: string, environment: StoreEnvironment): StorePurchase {
  const receipt = JSON.parse(text) as Receipt;
  const { receiptId = '', productId = '', purchaseDate, renewalDate, cancelDate, gracePeriodEndDate } = receipt;
  const isSubscription = receipt.productType === 'SUBSCRIPTION';
  const isTest = environment === 'sandbox' || receipt.testTransaction === true || receipt.betaProduct === true;
  const endedAt = instant(cancelDate);
  const graceEndsAt = instant(gracePeriodEndDate);
  const isGrace = graceEndsAt !== null && graceEndsAt > at;
  const isOver = endedAt !== null && endedAt <= at;
  return {
    ...unreported,
    reference: { id: receiptId, environment: isTest ? 'sandbox' : 'production', productId, userId },
    // All renewals of a purchase have one receipt, so a renewal is identified by its date.
    transactionId: renewalDate ? `${receiptId}:${renewalDate}` : receiptId,
    kind: isSubscription ? 'subscription' : 'one_time',
    state: isOver ? (isSubscription ? 'expired' : 'revoked') : isGrace ? 'grace' : 'active',
    isTrial: (instant(receipt.freeTrialEndDate)?.getTime() ?? 0) > at.getTime(),
    autoRenew: isSubscription && endedAt === null && receipt.autoRenewing !== false,
    purchasedAt: new Date(purchaseDate ?? 0),
    expiresAt: endedAt ?? (isSubscription ? instant(renewalDate) : null),
    graceEndsAt: isGrace ? graceEndsAt : null,
    revokedAt: isOver && !isSubscription ? endedAt : null,
    nextProductId: receipt.deferredSku ?? null,
    countryIso: receipt.countryCode ?? null,
    asOf: at,
  };
}

function instant(ms: number | null | undefined): Date | null {
  return ms === null || ms === undefined ? null : new Date(ms);
}

/** Amazon uses status codes of its own in addition to those of HTTP. */
function failed(status: number): StoreAnswer {
  if (status === 496) return refused('store_credentials', "Amazon refuses this merchant's shared secret.");
  if (status === 410) return { outcome: 'taken_back' };
  if (status === 400 || status === 497)
    return refused('invalid_receipt', 'Amazon does not know this receipt of this user.');
  return { outcome: 'unavailable' };
}
