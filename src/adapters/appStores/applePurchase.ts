import {
  Status,
  type JWSRenewalInfoDecodedPayload,
  type JWSTransactionDecodedPayload,
} from '@apple/app-store-server-library';
import { iso31661 } from 'iso-3166';
import { type PurchaseReference, type PurchaseState, type StoreEnvironment, type StorePurchase } from './store';

const states: Readonly<Record<number, PurchaseState>> = {
  [Status.ACTIVE]: 'active',
  [Status.EXPIRED]: 'expired',
  [Status.BILLING_RETRY]: 'on_hold',
  [Status.BILLING_GRACE_PERIOD]: 'grace',
  [Status.REVOKED]: 'revoked',
};

/** Of what Apple signed about its latest period and its next. */
export function describeSubscription(
  transaction: JWSTransactionDecodedPayload,
  renewal: JWSRenewalInfoDecodedPayload,
  status: number,
  environment: StoreEnvironment,
): StorePurchase {
  const next = renewal.autoRenewProductId;
  return {
    ...describe(transaction, environment),
    kind: 'subscription',
    state: states[status] ?? 'expired',
    autoRenew: renewal.autoRenewStatus === 1,
    graceEndsAt: instant(renewal.gracePeriodExpiresDate),
    nextProductId: next !== undefined && next !== transaction.productId ? next : null,
    asOf: new Date(Math.max(transaction.signedDate ?? 0, renewal.signedDate ?? 0)),
  };
}

export function describeOneTime(
  transaction: JWSTransactionDecodedPayload,
  environment: StoreEnvironment,
): StorePurchase {
  const { revocationDate, expiresDate } = transaction;
  const isOver = expiresDate !== undefined && expiresDate <= (transaction.signedDate ?? 0);
  return {
    ...describe(transaction, environment),
    kind: 'one_time',
    state: revocationDate !== undefined ? 'revoked' : isOver ? 'expired' : 'active',
    autoRenew: false,
    graceEndsAt: null,
    nextProductId: null,
    asOf: new Date(transaction.signedDate ?? 0),
  };
}

/** What the purchase is asked for again by. */
export function referenceOf(
  { transactionId = '', originalTransactionId = transactionId, productId = '' }: JWSTransactionDecodedPayload,
  environment: StoreEnvironment,
): PurchaseReference {
  return { id: originalTransactionId, environment, productId, transactionId };
}

function describe(transaction: JWSTransactionDecodedPayload, environment: StoreEnvironment) {
  const { transactionId = '', purchaseDate = 0, price, currency } = transaction;
  return {
    reference: referenceOf(transaction, environment),
    transactionId,
    isTrial: transaction.offerDiscountType === 'FREE_TRIAL',
    purchasedAt: new Date(transaction.originalPurchaseDate ?? purchaseDate),
    periodStartsAt: new Date(purchaseDate),
    expiresAt: instant(transaction.expiresDate),
    resumesAt: null,
    revokedAt: instant(transaction.revocationDate),
    // Apple's milliunits are thousandths of the major unit, whatever the currency.
    price: price !== undefined && currency !== undefined ? { amount: price / 1000, currency } : null,
    replacesId: null,
    needsAcknowledgement: false,
    accountUuid: transaction.appAccountToken ?? null,
    countryIso: countryOf(transaction.storefront),
  };
}

function instant(ms: number | undefined): Date | null {
  return ms === undefined ? null : new Date(ms);
}

const alphaTwos = new Map(iso31661.map(({ alpha2, alpha3 }) => [alpha3, alpha2]));

/** Apple names storefronts by three letters. */
function countryOf(storefront: string | undefined): string | null {
  return storefront === undefined ? null : (alphaTwos.get(storefront) ?? null);
}
