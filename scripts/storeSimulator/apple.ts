import { createHash, createPublicKey, randomUUID, X509Certificate } from 'node:crypto';
import { sign, verify } from 'jsonwebtoken';
import { iso31661 } from 'iso-3166';
import { currencyExponent } from '../../src/subscriptions/billing/money';
import { issueCertificate, newEcKeys, type KeyPair } from './certificates';
import { type Face, type FaceAnswer, type FaceRequest } from './face';
import {
  type Happening,
  type Market,
  type MarketEvent,
  type SimulatedPurchase,
  type SimulatedTransaction,
} from './market';

/** Of apps that are sold in the simulated App Store: what a merchant has from App Store Connect. */
export interface AppleApp {
  bundleId: string;
  appAppleId: number;
  issuerId: string;
  keyId: string;
  /** PEM. */
  privateKey: string;
}

export interface AppleFace extends Face {
  /** DER: what a verifier must trust. */
  rootCertificate: Buffer;
  registerApp(): AppleApp;
  /** What the app on the device has in its hand after a purchase: the latest transaction, signed. */
  signedTransaction(purchase: SimulatedPurchase): string;
  transactionId(purchase: SimulatedPurchase): string;
  /** Signs what nobody should believe, with the store's own key. */
  signAnything(payload: object): string;
  /** The same with a certificate of the store's own that has run out. */
  signWithExpired(payload: object): string;
}

const intermediateMarker = '1.2.840.113635.100.6.2.1';
const leafMarker = '1.2.840.113635.100.6.11.1';

export function createAppleFace(market: Market): AppleFace {
  const chain = createAppleChain();
  const apps = new Map<string, AppleApp>();
  const signed = (payload: object) => signJws(payload, chain);

  const find = (id: string) => {
    for (const purchase of market.purchases.values()) {
      if (purchase.store !== 'apple') continue;
      const transaction = purchase.transactions.find((one) => appleId(one.id) === id);
      if (transaction) return { purchase, transaction };
    }
    return undefined;
  };

  const transactionOf = (purchase: SimulatedPurchase, transaction: SimulatedTransaction) =>
    signed(describeTransaction(purchase, transaction, market.now));

  const renewalOf = (purchase: SimulatedPurchase) => signed(describeRenewal(purchase, market.now));

  const authorised = ({ headers }: FaceRequest): AppleApp | undefined => {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    for (const app of apps.values())
      try {
        const key = createPublicKey(app.privateKey);
        const claims = verify(token, key, {
          algorithms: ['ES256'],
          audience: 'appstoreconnect-v1',
          issuer: app.issuerId,
        });
        if (typeof claims === 'object' && claims['bid'] === app.bundleId) return app;
      } catch {
        // Another app's, perhaps.
      }
    return undefined;
  };

  const respond = (request: FaceRequest): FaceAnswer => {
    const app = authorised(request);
    if (!app) return { status: 401, body: 'Unauthenticated' };
    const path = request.path.replace(/^\/sandbox/, '');
    const asked = path === request.path ? 'production' : 'sandbox';
    if (path === '/inApps/v1/notifications/test') return { status: 200, body: { testNotificationToken: randomUUID() } };
    const [, kind = '', id = ''] = /^\/inApps\/v\d\/(transactions|subscriptions|history)\/(.+)$/.exec(path) ?? [];
    if (!/^\d+$/.test(id)) return failure(400, 4000006, 'Invalid transaction id.');
    const found = find(id);
    if (found?.purchase.app !== app.bundleId || found.purchase.environment !== asked)
      return failure(404, 4040010, 'Transaction id not found.');
    const { purchase, transaction } = found;
    const environment = environmentName(purchase);
    if (kind === 'transactions')
      return { status: 200, body: { signedTransactionInfo: transactionOf(purchase, transaction) } };
    const about = { environment, bundleId: app.bundleId, appAppleId: app.appAppleId };
    if (kind === 'history') {
      const signedTransactions = purchase.transactions.map((one) => transactionOf(purchase, one));
      return { status: 200, body: { ...about, signedTransactions, revision: '1', hasMore: false } };
    }
    const last = {
      originalTransactionId: originalId(purchase),
      status: statusOf(purchase),
      signedTransactionInfo: transactionOf(purchase, latest(purchase)),
      signedRenewalInfo: renewalOf(purchase),
    };
    return { status: 200, body: { ...about, data: [{ subscriptionGroupIdentifier: '1', lastTransactions: [last] }] } };
  };

  return {
    store: 'apple',
    rootCertificate: chain.root,
    registerApp() {
      const keys = newEcKeys();
      const app = {
        bundleId: `org.example.${randomUUID().slice(0, 8)}`,
        appAppleId: 1_000_000 + apps.size,
        issuerId: randomUUID(),
        keyId: randomUUID().slice(0, 10).toUpperCase(),
        privateKey: keys.privateKey,
      };
      apps.set(app.bundleId, app);
      return app;
    },
    signedTransaction: (purchase) => transactionOf(purchase, latest(purchase)),
    transactionId: (purchase) => appleId(latest(purchase).id),
    signAnything: signed,
    signWithExpired: (payload) => signJws(payload, createAppleChain(chain.keys, new Date(Date.now() - 86_400_000))),
    answer: (request) => (/^(\/sandbox)?\/inApps\//.test(request.path) ? respond(request) : undefined),
    notify(event: MarketEvent) {
      const told = notificationTypes[event.what](event.purchase);
      const app = apps.get(event.purchase.app);
      if (!told || !app) return undefined;
      const { purchase, at } = event;
      const data = {
        appAppleId: app.appAppleId,
        bundleId: app.bundleId,
        bundleVersion: '1',
        environment: environmentName(purchase),
        signedTransactionInfo: signed(describeTransaction(purchase, latest(purchase), at)),
        ...(purchase.kind === 'subscription' && { signedRenewalInfo: signed(describeRenewal(purchase, at)) }),
      };
      const [notificationType, subtype] = told;
      const payload = {
        notificationType,
        subtype,
        notificationUUID: event.id,
        version: '2.0',
        signedDate: at.getTime(),
        data,
      };
      return {
        path: '/external-payments/apple/notifications',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ signedPayload: signed(payload) }),
      };
    },
  };
}

type Told = readonly [type: string, subtype?: string] | undefined;

/** The notification of each happening (subscriptions 8). */
const notificationTypes: Record<Happening, (purchase: SimulatedPurchase) => Told> = {
  bought: ({ kind }) => (kind === 'one_time' ? ['ONE_TIME_CHARGE'] : ['SUBSCRIBED', 'INITIAL_BUY']),
  renewed: () => ['DID_RENEW'],
  recovered: () => ['DID_RENEW', 'BILLING_RECOVERY'],
  auto_renew_off: () => ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_DISABLED'],
  auto_renew_on: () => ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_ENABLED'],
  grace: () => ['DID_FAIL_TO_RENEW', 'GRACE_PERIOD'],
  on_hold: () => ['GRACE_PERIOD_EXPIRED'],
  paused: () => undefined,
  resumed: () => ['SUBSCRIBED', 'RESUBSCRIBE'],
  product_changed: () => ['DID_CHANGE_RENEWAL_PREF', 'UPGRADE'],
  change_scheduled: () => ['DID_CHANGE_RENEWAL_PREF', 'DOWNGRADE'],
  expired: ({ autoRenew }) => ['EXPIRED', autoRenew ? 'BILLING_RETRY' : 'VOLUNTARY'],
  refunded: () => ['REFUND'],
  refund_reversed: () => ['REFUND_REVERSED'],
  revoked: () => ['REVOKE'],
  extended: () => ['RENEWAL_EXTENDED'],
  price_changed: () => ['PRICE_INCREASE', 'PENDING'],
};

interface Chain {
  root: Buffer;
  /** Leaf, intermediate, root, in base64. */
  x5c: string[];
  leafKeys: KeyPair;
  /** Of those that signed the leaf. */
  keys: { root: KeyPair; middle: KeyPair };
}

/** Like Apple's own: three certificates, of which the lower two carry the marks of receipt signing. */
/** `leafUntil`: when the certificate ends that signs. */
function createAppleChain(keys = { root: newEcKeys(), middle: newEcKeys() }, leafUntil?: Date): Chain {
  const root = { subject: '/C=US/O=Store simulator/CN=Simulated root', keys: keys.root };
  const middle = { subject: '/C=US/O=Store simulator/CN=Simulated intermediate', keys: keys.middle };
  const leafKeys = newEcKeys();
  const certificates = [
    issueCertificate({
      subject: '/C=US/O=Store simulator/CN=Simulated leaf',
      keys: leafKeys,
      issuer: middle,
      isAuthority: false,
      markers: [leafMarker],
      ...(leafUntil && { until: leafUntil }),
    }),
    issueCertificate({ ...middle, issuer: root, isAuthority: true, markers: [intermediateMarker] }),
    issueCertificate({ ...root, isAuthority: true }),
  ];
  const ders = certificates.map(({ pem }) => new X509Certificate(pem).raw);
  return { root: ders[2] ?? Buffer.alloc(0), x5c: ders.map((der) => der.toString('base64')), leafKeys, keys };
}

function signJws(payload: object, { x5c, leafKeys }: Chain): string {
  return sign(payload, leafKeys.privateKey, {
    noTimestamp: true,
    algorithm: 'ES256',
    header: { alg: 'ES256', x5c: x5c as never },
  });
}

/** Digits, as Apple's are; always the same for the same transaction. */
function appleId(id: string): string {
  const digits = BigInt(`0x${createHash('sha256').update(id).digest('hex').slice(0, 12)}`).toString();
  return `2${digits.padStart(15, '0').slice(-15)}`;
}

function latest(purchase: SimulatedPurchase): SimulatedTransaction {
  const last = purchase.transactions.at(-1);
  if (!last) throw new Error('nothing was bought');
  return last;
}

const originalId = ({ transactions: [first] }: SimulatedPurchase) => appleId(first?.id ?? '');
const environmentName = ({ environment }: SimulatedPurchase) => (environment === 'sandbox' ? 'Sandbox' : 'Production');

function describeTransaction(purchase: SimulatedPurchase, transaction: SimulatedTransaction, signedAt: Date) {
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

function describeRenewal(purchase: SimulatedPurchase, signedAt: Date) {
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

function statusOf({ phase }: SimulatedPurchase): number {
  if (phase === 'revoked') return 5;
  if (phase === 'grace') return 4;
  if (phase === 'on_hold') return 3;
  return phase === 'active' ? 1 : 2;
}

function failure(status: number, errorCode: number, errorMessage: string): FaceAnswer {
  return { status, body: { errorCode, errorMessage } };
}
