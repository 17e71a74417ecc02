import { Unavailable, type ApiAnswer } from './googlePlayApi';
import { unreported, type PurchaseState, type StoreHistory, type StorePurchase } from './store';

export interface Subscription {
  subscriptionState?: string;
  acknowledgementState?: string;
  startTime?: string;
  regionCode?: string;
  linkedPurchaseToken?: string;
  latestOrderId?: string;
  lineItems?: LineItem[];
  pausedStateContext?: { autoResumeTime?: string };
  externalAccountIdentifiers?: { obfuscatedExternalAccountId?: string };
  testPurchase?: object;
}

interface LineItem {
  productId?: string;
  expiryTime?: string;
  latestSuccessfulOrderId?: string;
  autoRenewingPlan?: { autoRenewEnabled?: boolean; recurringPrice?: Money };
  offerPhase?: { freeTrial?: object };
  deferredItemReplacement?: { productId?: string };
}

interface Money {
  currencyCode?: string;
  units?: string;
  nanos?: number;
}

export interface Product {
  orderId?: string;
  regionCode?: string;
  acknowledgementState?: string;
  purchaseCompletionTime?: string;
  purchaseStateContext?: { purchaseState?: string };
  productLineItem?: { productId?: string }[];
  obfuscatedExternalAccountId?: string;
  testPurchaseContext?: object;
}

/** CANCELED means that the purchase does not renew. The paid period still runs. */
const states: Readonly<Record<string, PurchaseState>> = {
  SUBSCRIPTION_STATE_PENDING: 'pending',
  SUBSCRIPTION_STATE_ACTIVE: 'active',
  SUBSCRIPTION_STATE_CANCELED: 'active',
  SUBSCRIPTION_STATE_IN_GRACE_PERIOD: 'grace',
  SUBSCRIPTION_STATE_ON_HOLD: 'on_hold',
  SUBSCRIPTION_STATE_PAUSED: 'paused',
  SUBSCRIPTION_STATE_EXPIRED: 'expired',
  SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED: 'expired',
};

export type Call = (path: string) => Promise<ApiAnswer>;

/** Google reports a refunded subscription as expired. Only the list of voided purchases shows the refund. */
export function describeSubscription(found: Subscription, token: string): StorePurchase {
  const state = states[found.subscriptionState ?? ''] ?? 'expired';
  const item = lastOf(found.lineItems ?? []);
  const plan = item.autoRenewingPlan;
  const expiresAt = instant(item.expiryTime);
  return {
    ...unreported,
    reference: {
      id: token,
      environment: found.testPurchase ? 'sandbox' : 'production',
      productId: item.productId ?? '',
    },
    transactionId: item.latestSuccessfulOrderId ?? found.latestOrderId ?? token,
    kind: 'subscription',
    state,
    isTrial: item.offerPhase?.freeTrial !== undefined,
    autoRenew: plan?.autoRenewEnabled ?? false,
    purchasedAt: instant(found.startTime) ?? new Date(0),
    expiresAt,
    // During the grace period, Google's expiry is the end of the grace period.
    graceEndsAt: state === 'grace' ? expiresAt : null,
    resumesAt: instant(found.pausedStateContext?.autoResumeTime),
    price: priceOf(plan?.recurringPrice),
    nextProductId: item.deferredItemReplacement?.productId ?? null,
    replacesId: found.linkedPurchaseToken ?? null,
    needsAcknowledgement: isUnacknowledged(found.acknowledgementState),
    accountUuid: found.externalAccountIdentifiers?.obfuscatedExternalAccountId ?? null,
    countryIso: found.regionCode ?? null,
    asOf: new Date(),
  };
}

interface VoidedPage {
  voidedPurchases?: VoidedPurchase[];
  tokenPagination?: { nextPageToken?: string };
}

interface VoidedPurchase {
  purchaseToken?: string;
  orderId?: string;
  voidedTimeMillis?: string;
}

/** All purchases of the app that were refunded since a time. */
export async function listVoided(since: Date, call: Call): Promise<StoreHistory['refunds']> {
  const refunds: StoreHistory['refunds'] = [];
  const path = `/voidedpurchases?type=1&startTime=${since.getTime()}`;
  for (let next: string | undefined = ''; next !== undefined;) {
    const { status, body } = await call(path + (next && `&token=${encodeURIComponent(next)}`));
    if (status !== 200) throw new Unavailable(status);
    const { voidedPurchases = [], tokenPagination } = body as VoidedPage;
    for (const { purchaseToken: originalId, orderId: transactionId, voidedTimeMillis } of voidedPurchases)
      if (originalId !== undefined && transactionId !== undefined)
        refunds.push({ originalId, transactionId, refundedAt: new Date(Number(voidedTimeMillis)) });
    next = tokenPagination?.nextPageToken;
  }
  return refunds;
}

export function describeProduct(found: Product, token: string): StorePurchase {
  const purchasedAt = instant(found.purchaseCompletionTime) ?? new Date(0);
  const state = found.purchaseStateContext?.purchaseState;
  return {
    ...unreported,
    reference: {
      id: token,
      environment: found.testPurchaseContext ? 'sandbox' : 'production',
      productId: found.productLineItem?.[0]?.productId ?? '',
    },
    transactionId: found.orderId ?? token,
    kind: 'one_time',
    state: state === 'PENDING' ? 'pending' : state === 'PURCHASED' ? 'active' : 'revoked',
    isTrial: false,
    autoRenew: false,
    purchasedAt,
    periodStartsAt: purchasedAt,
    expiresAt: null,
    revokedAt: state === 'CANCELLED' ? new Date() : null,
    needsAcknowledgement: isUnacknowledged(found.acknowledgementState),
    accountUuid: found.obfuscatedExternalAccountId ?? null,
    countryIso: found.regionCode ?? null,
    asOf: new Date(),
  };
}

/** The item that ends last: after an upgrade the old item is still in the list. */
function lastOf(items: readonly LineItem[]): LineItem {
  return [...items].sort((a, b) => (b.expiryTime ?? '').localeCompare(a.expiryTime ?? ''))[0] ?? {};
}

const isUnacknowledged = (state: string | undefined) => state === 'ACKNOWLEDGEMENT_STATE_PENDING';

function priceOf(money: Money | undefined): StorePurchase['price'] {
  if (money?.currencyCode === undefined) return null;
  return {
    amount: Number(money.units ?? 0) + Math.round((money.nanos ?? 0) / 1e5) / 1e4,
    currency: money.currencyCode,
  };
}

function instant(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}
