import { Unavailable, type Answered } from './googlePlayApi';
import { type PurchaseState, type StoreAnswer, type StorePurchase } from './store';

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

/** CANCELED has only stopped renewing: what is paid for still runs. */
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

type Call = (path: string) => Promise<Answered>;

/** Of a subscription that was given back, only the list of voided purchases tells. */
export async function describeSubscription(found: Subscription, token: string, call: Call): Promise<StoreAnswer> {
  const state = states[found.subscriptionState ?? ''] ?? 'expired';
  const revokedAt = state === 'expired' ? await findVoided(token, call) : null;
  const item = lastOf(found.lineItems ?? []);
  const plan = item.autoRenewingPlan;
  const expiresAt = instant(item.expiryTime);
  const purchase: StorePurchase = {
    reference: {
      id: token,
      environment: found.testPurchase ? 'sandbox' : 'production',
      productId: item.productId ?? '',
    },
    transactionId: item.latestSuccessfulOrderId ?? found.latestOrderId ?? token,
    kind: 'subscription',
    state: revokedAt ? 'revoked' : state,
    isTrial: item.offerPhase?.freeTrial !== undefined,
    autoRenew: plan?.autoRenewEnabled ?? false,
    purchasedAt: instant(found.startTime) ?? new Date(0),
    periodStartsAt: null,
    expiresAt,
    // In its grace period Google's expiry is the end of that.
    graceEndsAt: state === 'grace' ? expiresAt : null,
    resumesAt: instant(found.pausedStateContext?.autoResumeTime),
    revokedAt,
    price: priceOf(plan?.recurringPrice),
    nextProductId: item.deferredItemReplacement?.productId ?? null,
    replacesId: found.linkedPurchaseToken ?? null,
    needsAcknowledgement: isUnacknowledged(found.acknowledgementState),
    accountUuid: found.externalAccountIdentifiers?.obfuscatedExternalAccountId ?? null,
    countryIso: found.regionCode ?? null,
    asOf: new Date(),
  };
  return { outcome: 'found', purchase };
}

interface VoidedPage {
  voidedPurchases?: Voided[];
  tokenPagination?: { nextPageToken?: string };
}

interface Voided {
  purchaseToken?: string;
  voidedTimeMillis?: string;
}

async function findVoided(token: string, call: Call): Promise<Date | null> {
  for (let next: string | undefined = ''; next !== undefined;) {
    const { status, body } = await call(`/voidedpurchases?type=1${next && `&token=${encodeURIComponent(next)}`}`);
    if (status !== 200) throw new Unavailable(status);
    const { voidedPurchases = [], tokenPagination } = body as VoidedPage;
    const voided = voidedPurchases.find(({ purchaseToken }) => purchaseToken === token);
    if (voided) return new Date(Number(voided.voidedTimeMillis));
    next = tokenPagination?.nextPageToken;
  }
  return null;
}

export function describeProduct(found: Product, token: string): StorePurchase {
  const purchasedAt = instant(found.purchaseCompletionTime) ?? new Date(0);
  const state = found.purchaseStateContext?.purchaseState;
  return {
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
    graceEndsAt: null,
    resumesAt: null,
    revokedAt: state === 'CANCELLED' ? new Date() : null,
    price: null,
    nextProductId: null,
    replacesId: null,
    needsAcknowledgement: isUnacknowledged(found.acknowledgementState),
    accountUuid: found.obfuscatedExternalAccountId ?? null,
    countryIso: found.regionCode ?? null,
    asOf: new Date(),
  };
}

/** The one that runs longest: an upgrade leaves the old one beside it. */
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
