import { createHash } from 'node:crypto';
import { iso31661 } from 'iso-3166';
import { currencyExponent } from '../../src/billing/money';
import { type MarketEvent, type SimulatedPurchase, type SimulatedTransaction } from './purchase';

/** Purchases as the App Store describes them. */

/** An id of digits only, like Apple's. The same transaction always has the same id. */
export function appleId(id: string): string {
  const digits = BigInt(`0x${createHash('sha256').update(id).digest('hex').slice(0, 12)}`).toString();
  return `2${digits.padStart(15, '0').slice(-15)}`;
}

export function latest(purchase: SimulatedPurchase): SimulatedTransaction {
  const last = purchase.transactions.at(-1);
  if (!last) throw new Error('nothing was bought');
  return last;
}

/** The transaction that an event is about. */
export function transactionIn({ purchase, transactionId }: MarketEvent): SimulatedTransaction {
  return purchase.transactions.find(({ id }) => id === transactionId) ?? latest(purchase);
}

export const originalId = ({ transactions: [first] }: SimulatedPurchase) => appleId(first?.id ?? '');
export const environmentName = ({ environment }: SimulatedPurchase) =>
  environment === 'sandbox' ? 'Sandbox' : 'Production';

export function describeTransaction(purchase: SimulatedPurchase, transaction: SimulatedTransaction, signedAt: Date) {
  const { currency, amountMinor, kind } = purchase;
  return {
    transactionId: appleId(transaction.id),
    originalTransactionId: originalId(purchase),
    bundleId: purchase.app,
    productId: transaction.productId,
    purchaseDate: transaction.at.getTime(),
    originalPurchaseDate: purchase.transactions[0]?.at.getTime(),
    ...(transaction.expiresAt && { expiresDate: transaction.expiresAt.getTime() }),
    quantity: 1,
    type: kind === 'subscription' ? 'Auto-Renewable Subscription' : 'Non-Consumable',
    ...(purchase.accountUuid !== null && { appAccountToken: purchase.accountUuid }),
    inAppOwnershipType: 'PURCHASED',
    signedDate: signedAt.getTime(),
    environment: environmentName(purchase),
    transactionReason: purchase.transactions[0] === transaction ? 'PURCHASE' : 'RENEWAL',
    storefront: iso31661.find(({ alpha2 }) => alpha2 === purchase.countryIso)?.alpha3,
    storefrontId: '143443',
    price: transaction.isTrial ? 0 : (amountMinor * 1_000) / 10 ** currencyExponent(currency),
    currency,
    ...(transaction.isTrial && { offerType: 1, offerDiscountType: 'FREE_TRIAL' }),
    ...(transaction.refundedAt && { revocationDate: transaction.refundedAt.getTime(), revocationReason: 0 }),
  };
}

export function describeRenewal(purchase: SimulatedPurchase, signedAt: Date) {
  return {
    originalTransactionId: originalId(purchase),
    autoRenewProductId: purchase.nextProductId ?? purchase.productId,
    productId: purchase.productId,
    autoRenewStatus: purchase.autoRenew ? 1 : 0,
    isInBillingRetryPeriod: purchase.phase === 'on_hold' || purchase.phase === 'grace',
    ...(purchase.phase === 'grace' &&
      purchase.graceEndsAt && { gracePeriodExpiresDate: purchase.graceEndsAt.getTime() }),
    ...(latest(purchase).expiresAt && { renewalDate: latest(purchase).expiresAt?.getTime() }),
    signedDate: signedAt.getTime(),
    environment: environmentName(purchase),
    recentSubscriptionStartDate: purchase.transactions[0]?.at.getTime(),
  };
}

export function statusOf({ phase }: SimulatedPurchase): number {
  if (phase === 'revoked') return 5;
  if (phase === 'grace') return 4;
  if (phase === 'on_hold') return 3;
  return phase === 'active' ? 1 : 2;
}
