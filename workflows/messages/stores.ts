/** Purchases in app stores: claims, notifications and checks. */

/** A claim of a store purchase, by the id of its row. The receipt stays in the row. */
export interface ExternalPaymentInput {
  externalPaymentId: number;
  /** The number of requests to the store by earlier runs. */
  tries?: number;
}

export const externalPaymentWorkflowId = (token: string, attempt: number) => `external-payment-${token}-${attempt}`;

/** The final state of the claim's row. */
export interface ExternalPaymentResult {
  state: 'succeeded' | 'failed';
}

export type ClaimAnswer =
  | { outcome: 'settled'; state: ExternalPaymentResult['state'] }
  /** The store is not available, or the payment is pending. Ask again, but not before `retryAfterMs`. */
  | { outcome: 'unavailable' | 'unpaid'; retryAfterMs: number };

export interface StorePurchaseInput {
  /** The id of the purchase's row. */
  storePurchaseId: number;
}

export const storePurchaseWorkflowId = (token: string) => `store-purchase-${token}`;

export interface SyncInput extends StorePurchaseInput {
  /** A change was reported, so the store is asked even if no check is due. */
  isForced: boolean;
}

export interface SyncResult {
  state: string;
  /** The time until the next check; null if none is needed. */
  waitMs: number | null;
  /** The store was unavailable. It is asked again, but not before this time. */
  retryAfterMs?: number;
  needsAcknowledgement: boolean;
}

/** The store has reported a change: ask for the purchase's current state. */
export const syncSignal = 'sync';

/** A purchase that no account has presented, by the notification that reported it. */
export interface UnclaimedPurchaseInput {
  store: 'apple' | 'google-play' | 'amazon' | 'roku';
  notificationId: string;
  /** The number of requests to the store by earlier runs. */
  tries?: number;
}

export const unclaimedPurchaseWorkflowId = (token: string) => `unclaimed-purchase-${token}`;

export type AdoptionAnswer =
  /** `isAdopted`: the purchase has an account now. Otherwise it waits for a claim by its app. */
  { outcome: 'settled'; isAdopted: boolean } | { outcome: 'unavailable'; retryAfterMs: number };

/** The number of apps whose history was read, and the apps whose history could not be read. */
export interface StoreHistoriesRead {
  apps: number;
  failed: string[];
}
