import { type IncomingHttpHeaders } from 'node:http';

/** What an app store must do (subscriptions 8 to 12). Nothing behind this interface waits for people or retries by itself. */

export const storeNames = ['apple', 'google-play', 'amazon', 'roku'] as const;
export type StoreName = (typeof storeNames)[number];

export type StoreEnvironment = 'production' | 'sandbox';

/** The app's own claim of a purchase, as it came; nothing in it is believed. */
export interface ReceiptClaim {
  receipt: string;
  /** The store's product id, where the app names one. */
  productName?: string | undefined;
  amazonUserId?: string | undefined;
  packageName?: string | undefined;
}

/**
 * What a purchase can be asked for again by, years later. `id` is the same over all renewals: Apple's original
 * transaction id, Google's purchase token, Amazon's receipt id, Roku's original transaction id.
 */
export interface PurchaseReference {
  id: string;
  environment: StoreEnvironment;
  productId: string;
  /** Amazon's user. */
  userId?: string | undefined;
  /** The latest transaction: what Roku is asked by. */
  transactionId?: string | undefined;
}

export type PurchaseState =
  /** Not paid yet: no access, and no failure. */
  | 'pending'
  | 'active'
  /** The renewal failed; access goes on until `graceEndsAt`. */
  | 'grace'
  /** The renewal failed, and may still come. */
  | 'on_hold'
  | 'paused'
  | 'expired'
  /** Money went back, or the right was taken away: access ends at once. */
  | 'revoked';

/** How a purchase stands at its store. Instants are the store's own. */
export interface StorePurchase {
  reference: PurchaseReference;
  /** Of the latest payment: names it for ever at its store. */
  transactionId: string;
  kind: 'subscription' | 'one_time';
  state: PurchaseState;
  /** The period that runs, or ran last, is free. */
  isTrial: boolean;
  autoRenew: boolean;
  purchasedAt: Date;
  /** Of the period that runs, or ran last; null: the store does not tell. */
  periodStartsAt: Date | null;
  /** Null: it never ends by itself. */
  expiresAt: Date | null;
  graceEndsAt: Date | null;
  resumesAt: Date | null;
  revokedAt: Date | null;
  /** Of the period that runs, if the store tells: in the currency's major unit. */
  price: { amount: number; currency: string } | null;
  /** What the next period will be of, where that differs. */
  nextProductId: string | null;
  /** The purchase that this one takes the place of: it must lose its access. */
  replacesId: string | null;
  /** Google gives the money back after three days without one. */
  needsAcknowledgement: boolean;
  /** What the app told the store of the buyer: our account's uuid, where the app did. */
  accountUuid: string | null;
  countryIso: string | null;
  /** Orders answers: an older one never overwrites a newer. */
  asOf: Date;
}

export type RefusalReason =
  /** Forged, garbage, or not known to the store. */
  | 'invalid_receipt'
  /** Of another app, or another merchant's. */
  | 'wrong_app'
  | 'wrong_environment'
  /** The merchant's credentials are missing or refused: an operator must act. */
  | 'store_credentials';

export type StoreAnswer =
  | { outcome: 'found'; purchase: StorePurchase }
  /** The store knows it and has taken it back; it tells nothing more. */
  | { outcome: 'taken_back' }
  /** For good. `message` is for the merchant and holds no secret. */
  | { outcome: 'refused'; reason: RefusalReason; message: string }
  /** The store could not be asked: ask again later. */
  | { outcome: 'unavailable'; retryAfterSeconds?: number };

export function refused(reason: RefusalReason, message: string): StoreAnswer {
  return { outcome: 'refused', reason, message };
}

/** A verified notification. It only says "look again". */
export interface StoreNotification {
  /** The same for the same notification, however often it is sent. */
  id: string;
  /** What to ask the store for; null: nothing of ours (a test, a summary). */
  purchase: PurchaseReference | null;
  /** The store's word for what happened, for the log: `DID_RENEW`. */
  type: string;
  /** The store's own time of it. */
  at: Date;
  /** What the store expects as the answer's body, where it expects one. */
  reply?: string;
}

/** What "test credentials" found: nothing is wrong when the list is empty. */
export interface CredentialProblem {
  /** The field of the credentials. */
  field: string;
  message: string;
}

/** One store with one merchant's credentials. */
export interface AppStore {
  readonly name: StoreName;

  /** Checks a claim: who signed it, for which app, and how the purchase stands now. */
  validate(claim: ReceiptClaim): Promise<StoreAnswer>;

  /** How a purchase stands now. */
  lookUp(reference: PurchaseReference): Promise<StoreAnswer>;

  /** Tells the store that the buyer has been served; doing it twice is harmless. */
  acknowledge?(purchase: StorePurchase): Promise<'done' | 'unavailable'>;

  /** Throws `invalid_signature` for what the store has not signed for this merchant's app. */
  readNotification(body: Buffer, headers: IncomingHttpHeaders): Promise<StoreNotification>;

  /** Asks the store something harmless. */
  testCredentials(): Promise<CredentialProblem[]>;
}
