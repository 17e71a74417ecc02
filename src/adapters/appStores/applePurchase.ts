import {
  Status,
  type JWSRenewalInfoDecodedPayload,
  type JWSTransactionDecodedPayload,
} from '@apple/app-store-server-library';
import { iso31661 } from 'iso-3166';
import {
  unreported,
  type PurchaseReference,
  type PurchaseState,
  type StoreEnvironment,
  type StorePurchase,
  type StoreRefund,
} from './store';

const states: Readonly<Record<number, PurchaseState>> = {
  [Status.ACTIVE]: 'active',
  [Status.EXPIRED]: 'expired',
  [Status.BILLING_RETRY]: 'on_hold',
  [Status.BILLING_GRACE_PERIOD]: 'grace',
  [Status.REVOKED]: 'revoked',
};

/** Describes a subscription by Apple's signed data about its latest and its next period. */
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
    asOf: new Date(transaction.signedDate ?? 0),
  };
}

/** The reference by which Apple is asked about the purchase again. */
export function referenceOf(
  { transactionId = '', originalTransactionId = transactionId, productId = '' }: JWSTransactionDecodedPayload,
  environment: StoreEnvironment,
): PurchaseReference {
  return { id: originalTransactionId, environment, productId, transactionId };
}

/** The refund of a transaction; undefined if it was not refunded. */
export function refundOf({ transactionId, revocationDate }: JWSTransactionDecodedPayload): StoreRefund | undefined {
  if (transactionId === undefined || revocationDate === undefined) return undefined;
  return { transactionId, refundedAt: new Date(revocationDate) };
}

function describe(transaction: JWSTransactionDecodedPayload, environment: StoreEnvironment) {
  const { transactionId = '', purchaseDate = 0, price, currency } = transaction;
  return {
    ...unreported,
    reference: referenceOf(transaction, environment),
    transactionId,
    isTrial: transaction.offerDiscountType === 'FREE_TRIAL',
    purchasedAt: new Date(transaction.originalPurchaseDate ?? purchaseDate),
    periodStartsAt: new Date(purchaseDate),
    expiresAt: instant(transaction.expiresDate),
    revokedAt: instant(transaction.revocationDate),
    // Apple's milliunits are thousandths of the major unit, whatever the currency.
    price: price !== undefined && currency !== undefined ? { amount: price / 1000, currency } : null,
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
