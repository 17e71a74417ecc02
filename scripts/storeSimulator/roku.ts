import { createPublicKey, randomUUID } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import { currencyExponent } from '../../src/subscriptions/billing/money';
import { newRsaKeys } from './certificates';
import { type Face, type FaceAnswer, type Sending } from './face';
import { type Happening, type Market, type MarketEvent, type SimulatedPurchase } from './market';

/** Of apps in the simulated Channel Store. */
export interface RokuApp {
  partnerApiKey: string;
  channelId: string;
}

export interface RokuFace extends Face {
  registerApp(): RokuApp;
  transactionId(purchase: SimulatedPurchase): string;
  /** A push with any message, signed with the key that the store publishes. */
  push(message: object, key?: string): Sending;
}

export function createRokuFace(market: Market): RokuFace {
  const apps = new Map<string, RokuApp>();
  const keys = newRsaKeys();
  const kid = randomUUID();

  const validate = (partnerApiKey: string, transactionId: string): FaceAnswer => {
    const own = [...apps.values()].filter((app) => app.partnerApiKey === partnerApiKey).map((app) => app.channelId);
    if (own.length === 0) return { status: 200, body: { status: 1, errorCode: null, errorMessage: 'UNAUTHORIZED' } };
    if (!/^[\da-f-]{36}$/.test(transactionId)) return { status: 400, body: 'Bad Request' };
    const purchase = [...market.purchases.values()].find(
      (one) => one.store === 'roku' && one.transactions.some(({ id }) => id === transactionId),
    );
    if (!purchase || !own.includes(purchase.app))
      return { status: 200, body: { status: 1, errorMessage: 'Transaction not found' } };
    return { status: 200, body: describe(purchase) };
  };

  const push = (message: object, key: string = randomUUID()): Sending => ({
    path: '/external-payments/roku/notifications',
    headers: { 'Content-Type': 'text/plain' },
    body: sign(
      {
        'x-Roku-message': Buffer.from(JSON.stringify(message)).toString('base64url'),
        'x-Roku-message-key': key,
      },
      keys.privateKey,
      { algorithm: 'RS256', keyid: kid, expiresIn: '24h' },
    ),
  });

  return {
    store: 'roku',
    push,
    transactionId: (purchase) => purchase.transactions.at(-1)?.id ?? '',
    registerApp() {
      const app = { partnerApiKey: randomUUID().toUpperCase(), channelId: String(100_000 + apps.size) };
      apps.set(app.channelId, app);
      return app;
    },
    answer({ path }) {
      if (path === '/keys/partner-jwks.json') {
        const key = createPublicKey(keys.publicKey).export({ format: 'jwk' });
        return { status: 200, body: { keys: [{ ...key, kid, use: 'sig', alg: 'RS256' }] } };
      }
      const [, key, id] =
        /^\/listen\/transaction-service\.svc\/validate-transaction\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
      if (key === undefined || id === undefined) return undefined;
      return {
        ...validate(decodeURIComponent(key), decodeURIComponent(id)),
        headers: { Date: market.now.toUTCString() },
      };
    },
    notify({ what, purchase, at, id }: MarketEvent) {
      const transactionType = pushTypes[what];
      if (!apps.has(purchase.app) || transactionType === undefined) return undefined;
      const [first] = purchase.transactions;
      const message = {
        transactionType,
        transactionId: purchase.transactions.at(-1)?.id,
        originalTransactionId: first?.id,
        customerId: purchase.user,
        channelId: Number(purchase.app),
        channelName: 'Simulated channel',
        productCode: purchase.productId,
        currency: purchase.currency.toLowerCase(),
        isFreeTrial: purchase.transactions.at(-1)?.isTrial ?? false,
        responseKey: id,
        eventDate: at.toISOString(),
      };
      return push(message, id);
    },
  };
}

const pushTypes: Record<Happening, string | undefined> = {
  bought: 'Sale',
  renewed: 'Sale',
  recovered: 'OnHoldRecovered',
  auto_renew_off: 'Cancellation',
  auto_renew_on: undefined,
  grace: 'GraceInitiated',
  on_hold: 'OnHoldInitiated',
  paused: undefined,
  resumed: 'Sale',
  product_changed: 'Sale',
  change_scheduled: 'Sale',
  expired: 'Cancellation',
  refunded: 'Refund',
  refund_reversed: undefined,
  revoked: 'Cancellation',
  extended: undefined,
  price_changed: undefined,
};

function describe(purchase: SimulatedPurchase) {
  const { phase, kind, amountMinor, currency } = purchase;
  const last = purchase.transactions.at(-1);
  const amount = last?.isTrial ? 0 : amountMinor / 10 ** currencyExponent(currency);
  const isSubscription = kind === 'subscription';
  return {
    status: 0,
    errorCode: null,
    errorMessage: null,
    transactionId: last?.id,
    OriginalTransactionId: purchase.transactions[0]?.id,
    channelId: Number(purchase.app),
    channelName: 'Simulated channel',
    productId: purchase.productId,
    purchaseDate: asText(last?.at),
    originalPurchaseDate: asText(purchase.transactions[0]?.at),
    expirationDate: last?.expiresAt ? asText(last.expiresAt) : null,
    isEntitled: isSubscription && (phase === 'active' || phase === 'grace'),
    cancelled: phase === 'expired' || phase === 'revoked' || (isSubscription && !purchase.autoRenew),
    purchaseStatus: phase === 'active' ? 'Active' : 'Inactive',
    isFreeTrial: last?.isTrial ?? false,
    amount,
    tax: 0,
    total: amount,
    currency: currency.toLowerCase(),
    rokuCustomerId: purchase.user,
    partnerReferenceId: purchase.accountUuid,
    cancelledTransactionIds: purchase.replacesId === null ? null : [purchase.replacesId],
  };
}

function asText(instant: Date | undefined): string | undefined {
  return instant && `/Date(${instant.getTime()}+0000)/`;
}
