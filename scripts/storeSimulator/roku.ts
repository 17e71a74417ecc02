import { randomUUID } from 'node:crypto';
import { currencyExponent } from '../../src/billing/money';
import { type RokuCredentials } from '../../src/adapters/appStores/credentials';
import { newTokenSigner } from './certificates';
import { ok, type Face, type FaceAnswer, type FaceRequest, type Sending } from './face';
import { type Market } from './market';
import { type Happening, type MarketEvent, type SimulatedPurchase } from './purchase';

/** The credentials of an app in the simulated Channel Store. */
export type RokuApp = RokuCredentials;

export class RokuFace implements Face {
  readonly store = 'roku';
  private readonly apps = new Map<string, RokuApp>();
  private readonly signer = newTokenSigner();

  constructor(private readonly market: Market) {}

  registerApp(): RokuApp {
    const app = { partnerApiKey: randomUUID().toUpperCase(), channelId: String(100_000 + this.apps.size) };
    this.apps.set(app.channelId, app);
    return app;
  }

  transactionId(purchase: SimulatedPurchase): string {
    return purchase.transactions.at(-1)?.id ?? '';
  }

  /** A push with any message, signed with the key that the store publishes. */
  push(message: object, key: string = randomUUID()): Sending {
    const encoded = Buffer.from(JSON.stringify(message)).toString('base64url');
    return {
      path: '/external-payments/roku/notifications',
      headers: { 'Content-Type': 'text/plain' },
      body: this.signer.sign({ 'x-Roku-message': encoded, 'x-Roku-message-key': key }, '24h'),
    };
  }

  answer({ path }: FaceRequest): FaceAnswer | undefined {
    if (path === '/keys/partner-jwks.json') return ok(this.signer.keySet);
    const [, key, id] = /^\/listen\/transaction-service\.svc\/validate-transaction\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    if (key === undefined || id === undefined) return undefined;
    const answer = this.validate(decodeURIComponent(key), decodeURIComponent(id));
    return { ...answer, headers: { Date: this.market.now.toUTCString() } };
  }

  notify({ what, purchase, at, id, transactionId }: MarketEvent): Sending | undefined {
    const transactionType = pushTypes[what];
    if (!this.apps.has(purchase.app) || transactionType === undefined) return undefined;
    const last = purchase.transactions.at(-1);
    const message = {
      transactionType,
      transactionId: transactionId ?? last?.id,
      originalTransactionId: purchase.transactions[0]?.id,
      customerId: purchase.user,
      channelId: Number(purchase.app),
      channelName: 'Simulated channel',
      productCode: purchase.productId,
      currency: purchase.currency.toLowerCase(),
      isFreeTrial: last?.isTrial ?? false,
      responseKey: id,
      eventDate: at.toISOString(),
    };
    return this.push(message, id);
  }

  private validate(partnerApiKey: string, transactionId: string): FaceAnswer {
    const ownApps = [...this.apps.values()].filter((app) => app.partnerApiKey === partnerApiKey);
    if (ownApps.length === 0) return ok({ status: 1, errorCode: null, errorMessage: 'UNAUTHORIZED' });
    if (!/^[\da-f-]{36}$/.test(transactionId)) return { status: 400, body: 'Bad Request' };
    const purchase = this.market
      .in('roku')
      .find(({ transactions }) => transactions.some(({ id }) => id === transactionId));
    if (!purchase || !ownApps.some(({ channelId }) => channelId === purchase.app))
      return ok({ status: 1, errorMessage: 'Transaction not found' });
    return ok(describe(purchase));
  }
}

const pushTypes: Partial<Record<Happening, string>> = {
  bought: 'Sale',
  renewed: 'Sale',
  recovered: 'OnHoldRecovered',
  auto_renew_off: 'Cancellation',
  grace: 'GraceInitiated',
  on_hold: 'OnHoldInitiated',
  resumed: 'Sale',
  product_changed: 'Sale',
  change_scheduled: 'Sale',
  expired: 'Cancellation',
  refunded: 'Refund',
  period_refunded: 'Refund',
  revoked: 'Cancellation',
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
