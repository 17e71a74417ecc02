import { createPublicKey, randomUUID } from 'node:crypto';
import { verify } from 'jsonwebtoken';
import { type AppleCredentials } from '../../src/adapters/appStores/credentials';
import { createAppleChain, signJws } from './appleChain';
import { readConsumption, type ConsumptionRecord } from './appleConsumption';
import {
  appleId,
  describeRenewal,
  describeTransaction,
  environmentName,
  latest,
  originalId,
  statusOf,
  transactionIn,
} from './applePurchase';
import { newEcKeys } from './certificates';
import { bearerToken, ok, type Face, type FaceAnswer, type FaceRequest, type Sending } from './face';
import { type Market } from './market';
import { type Happening, type MarketEvent, type SimulatedPurchase, type SimulatedTransaction } from './purchase';

/** An app in the simulated App Store, with the credentials that App Store Connect gives its merchant. */
export type AppleApp = AppleCredentials;

interface SentNotification {
  at: number;
  app: string;
  environment: string;
  signedPayload: string;
}

interface BoughtTransaction {
  purchase: SimulatedPurchase;
  transaction: SimulatedTransaction;
}

export class AppleFace implements Face {
  readonly store = 'apple';
  /** The accepted answers to consumption requests, newest last. */
  readonly consumptions: ConsumptionRecord[] = [];
  private readonly chain = createAppleChain();
  private readonly apps = new Map<string, AppleApp>();
  /** The ids of the transactions for which a customer requested a refund. */
  private readonly refundRequests = new Set<string>();
  private readonly sent: SentNotification[] = [];

  constructor(private readonly market: Market) {}

  /** The certificate that a verifier must trust, as DER. */
  get rootCertificate(): Buffer {
    return this.chain.root;
  }

  registerApp(): AppleApp {
    const app = {
      bundleId: `org.example.${randomUUID().slice(0, 8)}`,
      appAppleId: 1_000_000 + this.apps.size,
      issuerId: randomUUID(),
      keyId: randomUUID().slice(0, 10).toUpperCase(),
      privateKey: newEcKeys().privateKey,
    };
    this.apps.set(app.bundleId, app);
    return app;
  }

  /** The latest transaction, signed, as the app on the device receives it after a purchase. */
  signedTransaction(purchase: SimulatedPurchase): string {
    return this.signTransaction(purchase, latest(purchase));
  }

  transactionId(purchase: SimulatedPurchase): string {
    return appleId(latest(purchase).id);
  }

  /** Signs any payload with the store's key, for tests of forged content. */
  signAnything(payload: object): string {
    return signJws(payload, this.chain);
  }

  /** Signs any payload with an expired certificate of the store. */
  signWithExpired(payload: object): string {
    return signJws(payload, createAppleChain(this.chain.keys, new Date(Date.now() - 86_400_000)));
  }

  answer(request: FaceRequest): FaceAnswer | undefined {
    const [, sandbox, path] = /^(\/sandbox)?\/inApps\/(.+)$/.exec(request.path) ?? [];
    if (path === undefined) return undefined;
    const app = this.authorised(request);
    if (!app) return { status: 401, body: 'Unauthenticated' };
    const environment = sandbox === undefined ? 'production' : 'sandbox';
    if (path === 'v1/notifications/history') return this.historyOf(request, app.bundleId, environment);
    if (path === 'v1/notifications/test') return ok({ testNotificationToken: randomUUID() });
    const [, kind = '', id = ''] = aboutTransaction.exec(path) ?? [];
    if (!/^\d+$/.test(id)) return failure(400, 4000006, 'Invalid transaction id.');
    const found = this.find(id);
    if (found?.purchase.app !== app.bundleId || found.purchase.environment !== environment)
      return failure(404, 4040010, 'Transaction id not found.');
    if (kind === 'transactions/consumption') return this.consume(request, id);
    return ok(this.describe(kind, found, app));
  }

  notify(event: MarketEvent): Sending | undefined {
    const { what, purchase, at } = event;
    const app = this.apps.get(purchase.app);
    const kind = notificationTypes[what]?.(purchase);
    if (!kind || !app) return undefined;
    if (what === 'refund_requested') this.refundRequests.add(appleId(transactionIn(event).id));
    const [notificationType, subtype] = kind;
    const signedDate = at.getTime();
    const signedPayload = this.signAnything({
      notificationType,
      subtype,
      notificationUUID: event.id,
      version: '2.0',
      signedDate,
      data: this.notificationData(event, app),
    });
    this.sent.push({ at: signedDate, app: app.bundleId, environment: purchase.environment, signedPayload });
    return {
      path: '/external-payments/apple/notifications',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ signedPayload }),
    };
  }

  private authorised(request: FaceRequest): AppleApp | undefined {
    const token = bearerToken(request);
    return [...this.apps.values()].find((app) => isTokenOf(app, token));
  }

  /** The requested end is ignored, because the market's clock may be ahead of the caller's. */
  private historyOf({ body, query }: FaceRequest, app: string, environment: string): FaceAnswer {
    const { startDate } = JSON.parse(body) as { startDate: number };
    const all = this.sent.filter((one) => one.app === app && one.environment === environment && one.at >= startDate);
    const from = Number(query.get('paginationToken') ?? 0);
    const next = from + historyPage;
    const notificationHistory = all.slice(from, next).map(({ signedPayload }) => ({ signedPayload, sendAttempts: [] }));
    const hasMore = next < all.length;
    return ok({ notificationHistory, hasMore, ...(hasMore && { paginationToken: String(next) }) });
  }

  private find(id: string): BoughtTransaction | undefined {
    for (const purchase of this.market.in('apple')) {
      const transaction = purchase.transactions.find((one) => appleId(one.id) === id);
      if (transaction) return { purchase, transaction };
    }
    return undefined;
  }

  private consume(request: FaceRequest, id: string): FaceAnswer {
    const { refusal, record } = readConsumption(request, id, this.refundRequests);
    if (record) this.consumptions.push(record);
    return refusal ? failure(400, ...refusal) : { status: 202, body: '' };
  }

  private describe(kind: string, { purchase, transaction }: BoughtTransaction, app: AppleApp): object {
    const { transactions } = purchase;
    const pageOf = (listed: SimulatedTransaction[]) => ({
      signedTransactions: listed.map((one) => this.signTransaction(purchase, one)),
      revision: '1',
      hasMore: false,
    });
    if (kind === 'transactions') return { signedTransactionInfo: this.signTransaction(purchase, transaction) };
    if (kind === 'refund/lookup') return pageOf(transactions.filter(({ refundedAt }) => refundedAt !== null));
    const { bundleId, appAppleId } = app;
    const common = { environment: environmentName(purchase), bundleId, appAppleId };
    if (kind === 'history') return { ...common, ...pageOf(transactions) };
    const last = {
      originalTransactionId: originalId(purchase),
      status: statusOf(purchase),
      signedTransactionInfo: this.signedTransaction(purchase),
      signedRenewalInfo: this.signAnything(describeRenewal(purchase, this.market.now)),
    };
    return { ...common, data: [{ subscriptionGroupIdentifier: '1', lastTransactions: [last] }] };
  }

  private signTransaction(purchase: SimulatedPurchase, transaction: SimulatedTransaction): string {
    return this.signAnything(describeTransaction(purchase, transaction, this.market.now));
  }

  private notificationData(event: MarketEvent, { appAppleId, bundleId }: AppleApp): object {
    const { what, purchase, at } = event;
    return {
      appAppleId,
      bundleId,
      bundleVersion: '1',
      environment: environmentName(purchase),
      signedTransactionInfo: this.signAnything(describeTransaction(purchase, transactionIn(event), at)),
      ...(what === 'refund_requested' && { consumptionRequestReason: 'UNINTENDED_PURCHASE' }),
      ...(purchase.kind === 'subscription' && {
        signedRenewalInfo: this.signAnything(describeRenewal(purchase, at)),
      }),
    };
  }
}

const aboutTransaction = /^v\d\/(transactions\/consumption|transactions|subscriptions|history|refund\/lookup)\/(.+)$/;

/** Short, so that tests with three notifications read a second page. */
const historyPage = 2;

type NotificationKind = (purchase: SimulatedPurchase) => readonly [type: string, subtype?: string];

/** The notification that Apple sends for each event; undefined if it sends none. */
const notificationTypes: Partial<Record<Happening, NotificationKind>> = {
  bought: ({ kind }) => (kind === 'one_time' ? ['ONE_TIME_CHARGE'] : ['SUBSCRIBED', 'INITIAL_BUY']),
  renewed: () => ['DID_RENEW'],
  recovered: () => ['DID_RENEW', 'BILLING_RECOVERY'],
  auto_renew_off: () => ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_DISABLED'],
  auto_renew_on: () => ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_ENABLED'],
  grace: () => ['DID_FAIL_TO_RENEW', 'GRACE_PERIOD'],
  on_hold: () => ['GRACE_PERIOD_EXPIRED'],
  resumed: () => ['SUBSCRIBED', 'RESUBSCRIBE'],
  product_changed: () => ['DID_CHANGE_RENEWAL_PREF', 'UPGRADE'],
  change_scheduled: () => ['DID_CHANGE_RENEWAL_PREF', 'DOWNGRADE'],
  expired: ({ autoRenew }) => ['EXPIRED', autoRenew ? 'BILLING_RETRY' : 'VOLUNTARY'],
  refunded: () => ['REFUND'],
  period_refunded: () => ['REFUND'],
  period_refund_reversed: () => ['REFUND_REVERSED'],
  refund_reversed: () => ['REFUND_REVERSED'],
  revoked: () => ['REVOKE'],
  extended: () => ['RENEWAL_EXTENDED'],
  price_changed: () => ['PRICE_INCREASE', 'PENDING'],
  refund_requested: () => ['CONSUMPTION_REQUEST'],
  refund_declined: () => ['REFUND_DECLINED'],
};

function isTokenOf({ privateKey, issuerId, bundleId }: AppleApp, token: string): boolean {
  try {
    const expected = { algorithms: ['ES256' as const], audience: 'appstoreconnect-v1', issuer: issuerId };
    const claims = verify(token, createPublicKey(privateKey), expected);
    return typeof claims === 'object' && claims['bid'] === bundleId;
  } catch {
    return false;
  }
}

function failure(status: number, errorCode: number, errorMessage: string): FaceAnswer {
  return { status, body: { errorCode, errorMessage } };
}
