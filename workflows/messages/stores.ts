/** Purchases in app stores: claims, what the stores tell, and how a purchase stands. */

/** A claim of a store purchase: its row's id. The receipt stays in the row. */
export interface ExternalPaymentInput {
  externalPaymentId: number;
  /** How often its store was asked in earlier runs. */
  tries?: number;
}

export const externalPaymentWorkflowId = (token: string, attempt: number) => `external-payment-${token}-${attempt}`;

/** How a claim ended: the row's final state. */
export interface ExternalPaymentResult {
  state: 'succeeded' | 'failed';
}

export type ClaimAnswer =
  | { outcome: 'settled'; state: ExternalPaymentResult['state'] }
  /** The store could not be asked, or has not got the money yet: ask again, not before `retryAfterMs`. */
  | { outcome: 'unavailable' | 'unpaid'; retryAfterMs: number };

export interface StorePurchaseInput {
  /** The row's id. */
  storePurchaseId: number;
}

export const storePurchaseWorkflowId = (token: string) => `store-purchase-${token}`;

export interface LookInput extends StorePurchaseInput {
  /** Somebody has told of a change: the store is asked whether or not it is time. */
  isAsked: boolean;
}

export interface LookResult {
  state: string;
  /** Until the store should be asked again; null: it need not be. */
  waitMs: number | null;
  /** The store could not be asked: again, and not before this. */
  retryAfterMs?: number;
  needsAcknowledgement: boolean;
}

/** A store has told of a purchase: ask it how that stands. */
export const lookAgainSignal = 'lookAgain';

/** A purchase that its store has told of, and no account has presented: by a notification that names it. */
export interface UnclaimedPurchaseInput {
  store: 'apple' | 'google-play' | 'amazon' | 'roku';
  notificationId: string;
  /** How often its store was asked in earlier runs. */
  tries?: number;
}

/** `name`: of the notification, without what an id may not hold. */
export const unclaimedPurchaseWorkflowId = (store: string, name: string) => `unclaimed-purchase-${store}-${name}`;

export type AdoptionAnswer =
  /** It has an account now, or nobody knows whose it is: it waits for its app. */
  { outcome: 'settled'; isAdopted: boolean } | { outcome: 'unavailable'; retryAfterMs: number };
