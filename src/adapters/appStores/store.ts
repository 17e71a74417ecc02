import { type IncomingHttpHeaders } from 'node:http';

/** The interface of an app store. An implementation makes one attempt per call: workflows retry. */

export const storeNames = ['apple', 'google-play', 'amazon', 'roku'] as const;
export type StoreName = (typeof storeNames)[number];

export type StoreEnvironment = 'production' | 'sandbox';

/** A purchase as an app claims it, unverified. */
export interface ReceiptClaim {
  receipt: string;
  /** The store's product id, if the app sends it. */
  productName?: string | undefined;
  amazonUserId?: string | undefined;
  packageName?: string | undefined;
}

/**
 * Identifies a purchase at its store, also years later. All renewals have the same `id`: Apple's original transaction id,
 * Google's purchase token, Amazon's receipt id, Roku's original transaction id.
 */
export interface PurchaseReference {
  id: string;
  environment: StoreEnvironment;
  productId: string;
  /** The user id that Amazon requires. */
  userId?: string | undefined;
  /** The latest transaction, which Roku requires. */
  transactionId?: string | undefined;
}

export type PurchaseState =
  /** Not paid yet. The purchase gives no access and has not failed. */
  | 'pending'
  | 'active'
  /** The renewal failed. Access continues until `graceEndsAt`. */
  | 'grace'
  /** The renewal failed and can still succeed. */
  | 'on_hold'
  | 'paused'
  | 'expired'
  /** The store has refunded or withdrawn the purchase: access ends at once. */
  | 'revoked';

/** The state of a purchase at its store. Times are the store's. */
export interface StorePurchase {
  reference: PurchaseReference;
  /** The id of the latest payment at its store. */
  transactionId: string;
  kind: 'subscription' | 'one_time';
  state: PurchaseState;
  /** The current or last period is free. */
  isTrial: boolean;
  autoRenew: boolean;
  purchasedAt: Date;
  /** The start of the current or last period; null if the store does not report it. */
  periodStartsAt: Date | null;
  /** Null if the purchase does not expire. */
  expiresAt: Date | null;
  graceEndsAt: Date | null;
  resumesAt: Date | null;
  revokedAt: Date | null;
  /** The price of the current period in the currency's major unit; null if the store does not report it. */
  price: { amount: number; currency: string } | null;
  /** The product of the next period, if it differs. */
  nextProductId: string | null;
  /** The purchase that this one replaces. That purchase loses its access. */
  replacesId: string | null;
  /** Google refunds a purchase that is not acknowledged within three days. */
  needsAcknowledgement: boolean;
  /** The uuid of our account, if the app gave it to the store. */
  accountUuid: string | null;
  countryIso: string | null;
  /** The time of the answer. An older answer never overwrites a newer one. */
  asOf: Date;
  /** All refunds of the purchase; absent if the store does not list them. */
  refunds?: readonly StoreRefund[];
}

/** The facts that not every store reports about every purchase. */
export const unreported = {
  periodStartsAt: null,
  graceEndsAt: null,
  resumesAt: null,
  revokedAt: null,
  price: null,
  nextProductId: null,
  replacesId: null,
  needsAcknowledgement: false,
  accountUuid: null,
  countryIso: null,
} satisfies Partial<StorePurchase>;

/** A payment that its store has refunded. */
export interface StoreRefund {
  transactionId: string;
  refundedAt: Date;
  /** The store has reversed the refund. */
  isReversed?: boolean;
}

export type RefusalReason =
  /** The receipt is forged, malformed or unknown to the store. */
  | 'invalid_receipt'
  /** The purchase belongs to another app or another merchant. */
  | 'wrong_app'
  | 'wrong_environment'
  /** The merchant's credentials are missing or refused: the merchant must correct them. */
  | 'store_credentials';

export type StoreAnswer =
  | { outcome: 'found'; purchase: StorePurchase }
  /** The store has withdrawn the purchase and reports nothing else about it. */
  | { outcome: 'taken_back' }
  /** Refused for good. `message` is for the merchant and contains no secret. */
  | { outcome: 'refused'; reason: RefusalReason; message: string }
  /** The store is not available: ask again later. */
  | { outcome: 'unavailable'; retryAfterSeconds?: number };

export function refused(reason: RefusalReason, message: string): StoreAnswer {
  return { outcome: 'refused', reason, message };
}

/** A verified notification. It triggers a look-up, which reads the current state. */
export interface StoreNotification {
  /** A repeated notification has the same id. */
  id: string;
  /** The purchase to look up; null if the notification names none (a test, a summary). */
  purchase: PurchaseReference | null;
  /** The store's name of the event, for the log: `DID_RENEW`. */
  type: string;
  /** The store's time of the notification. */
  at: Date;
  /** The refund, or reversal of a refund, that the notification reports. */
  refund?: StoreRefund;
  /** The store has declined the customer's refund request. */
  isRefundDeclined?: boolean;
  /** The customer requests a refund of this payment, and the store asks how the purchase was used. */
  consumption?: { transactionId: string; environment: StoreEnvironment; refundReason: string };
  /** The body of our answer, if the store expects one. */
  reply?: string;
}

/** How the customer has used a purchase for which a refund is requested. */
export interface Consumption {
  transactionId: string;
  environment: StoreEnvironment;
  isDelivered: boolean;
  /** The customer had a free trial before the payment. */
  hadTrial: boolean;
  /** The share of the paid time that is over, from 0 to 1; undefined if the access has no end. */
  usedShare: number | undefined;
}

export type ConsumptionAnswer =
  | { outcome: 'sent' }
  /** The store will not accept the answer at any later time. */
  | { outcome: 'refused'; message: string }
  | { outcome: 'unavailable' };

/** The notifications and refunds of one app that a store has recorded since a time. */
export interface StoreHistory {
  /** The bodies of notifications. */
  notifications: Buffer[];
  refunds: (StoreRefund & { originalId: string })[];
}

/** A problem with credentials. An empty list of problems means that they work. */
export interface CredentialProblem {
  /** The field of the credentials. */
  field: string;
  message: string;
}

/** One store with one merchant's credentials. */
export interface AppStore {
  readonly name: StoreName;

  /** Checks the signature and the app of a claim, and reads the current state of its purchase. */
  validate(claim: ReceiptClaim): Promise<StoreAnswer>;

  /** Reads the current state of a purchase. */
  lookUp(reference: PurchaseReference): Promise<StoreAnswer>;

  /** Confirms to the store that the buyer has access; a repeated call is harmless. Absent if the store needs none. */
  acknowledge?(purchase: StorePurchase): Promise<'done' | 'unavailable'>;

  /** Tells the store how a purchase was used; a repeated call is harmless. Absent if the store never asks. */
  sendConsumption?(consumption: Consumption): Promise<ConsumptionAnswer>;

  /** Throws `invalid_signature` unless the store has signed the notification for this merchant's app. */
  readNotification(body: Buffer, headers: IncomingHttpHeaders): Promise<StoreNotification>;

  /** Reads the app's history since a time. Absent if the store has none. Throws while the store is unavailable. */
  readHistory?(since: Date): Promise<StoreHistory>;

  /** Tests the credentials with a request that changes nothing. */
  testCredentials(): Promise<CredentialProblem[]>;
}
