import { randomUUID, sign } from 'node:crypto';
import { issueCertificate, newRsaKeys } from './certificates';
import { type Face, type FaceAnswer, type Sending } from './face';
import { type Happening, type Market, type MarketEvent, type SimulatedPurchase } from './market';

/** Of apps in the simulated Amazon Appstore. */
export interface AmazonApp {
  packageName: string;
  sharedSecret: string;
  topicArn: string;
}

export interface AmazonFace extends Face {
  registerApp(): AmazonApp;
  receiptId(purchase: SimulatedPurchase): string;
  /** An envelope of SNS, signed as SNS would. */
  envelope(topicArn: string, changes: object, version?: '1' | '2'): Sending;
  /** Topics whose address was called after they asked for it. */
  confirmed: Set<string>;
}

export function createAmazonFace(market: Market, url: () => string): AmazonFace {
  const apps = new Map<string, AmazonApp>();
  const confirmed = new Set<string>();
  const keys = newRsaKeys();
  const certificate = issueCertificate({ subject: '/CN=sns.simulator', keys, isAuthority: false });
  const certificatePath = '/SimpleNotificationService.pem';

  const verifyReceipt = (parts: string[], environment: SimulatedPurchase['environment']): FaceAnswer => {
    const [secret = '', user = '', receipt = ''] = parts.map(decodeURIComponent);
    const own = [...apps.values()].filter(({ sharedSecret }) => sharedSecret === secret).map((app) => app.packageName);
    if (environment === 'production' && own.length === 0) return failure(496, 'Invalid sharedSecret');
    const purchase = [...market.purchases.values()].find(
      (one) => one.store === 'amazon' && receiptOf(one) === receipt && one.environment === environment,
    );
    if (!purchase || (environment === 'production' && !own.includes(purchase.app)))
      return failure(400, 'Invalid receiptId');
    if (purchase.user !== user) return failure(497, 'Invalid User ID');
    const isRefundedOnce = purchase.kind === 'subscription' && purchase.phase === 'revoked';
    return isRefundedOnce ? failure(410, 'Transaction no longer valid') : { status: 200, body: describe(purchase) };
  };

  const envelope = (topicArn: string, changes: object, version: '1' | '2' = '2'): Sending => {
    const fields: Record<string, string> = {
      Type: 'Notification',
      MessageId: randomUUID(),
      TopicArn: topicArn,
      Message: '{}',
      Timestamp: market.now.toISOString(),
      SignatureVersion: version,
      SigningCertURL: `${url()}${certificatePath}`,
      ...changes,
    };
    const signed = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
      .filter((name) => fields[name] !== undefined)
      .map((name) => `${name}\n${fields[name]}\n`)
      .join('');
    const digest = version === '2' ? 'RSA-SHA256' : 'RSA-SHA1';
    const Signature = sign(digest, Buffer.from(signed), keys.privateKey).toString('base64');
    return {
      path: '/external-payments/amazon/notifications',
      headers: { 'Content-Type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': fields['Type'] ?? '' },
      body: JSON.stringify({ ...fields, Signature }),
    };
  };

  return {
    store: 'amazon',
    confirmed,
    receiptId: receiptOf,
    envelope,
    registerApp() {
      const name = randomUUID().slice(0, 8);
      const app = {
        packageName: `org.example.f${name}`,
        sharedSecret: `2:${randomUUID().replaceAll('-', '')}`,
        topicArn: `arn:aws:sns:us-east-1:123456789012:paywall-${name}`,
      };
      apps.set(app.packageName, app);
      return app;
    },
    answer({ path, query }) {
      if (path === certificatePath) return { status: 200, body: certificate.pem };
      if (path === '/confirm') {
        confirmed.add(query.get('topic') ?? '');
        return { status: 200, body: '<ConfirmSubscriptionResponse/>' };
      }
      const form =
        /^(\/sandbox)?\/version\/1\.0\/verifyReceiptId\/developer\/([^/]+)\/user\/([^/]*)\/receiptId\/([^/]+)$/;
      const [, sandbox, ...parts] = form.exec(path) ?? [];
      if (parts.length === 0) return undefined;
      const answer = verifyReceipt(parts, sandbox === undefined ? 'production' : 'sandbox');
      return { ...answer, headers: { Date: market.now.toUTCString() } };
    },
    notify({ what, purchase, at, id }: MarketEvent) {
      const app = apps.get(purchase.app);
      const notificationType = notificationTypes[what];
      if (!app || notificationType === undefined) return undefined;
      const told = {
        appPackageName: app.packageName,
        notificationType,
        appUserId: purchase.user,
        receiptId: receiptOf(purchase),
        timestamp: at.getTime(),
        betaProductTransaction: purchase.environment === 'sandbox',
      };
      return envelope(app.topicArn, { MessageId: id, Message: JSON.stringify(told) });
    },
  };
}

const notificationTypes: Record<Happening, string | undefined> = {
  bought: 'SUBSCRIPTION_PURCHASED',
  renewed: 'SUBSCRIPTION_RENEWED',
  recovered: 'SUBSCRIPTION_RENEWED',
  auto_renew_off: 'SUBSCRIPTION_AUTO_RENEWAL_OFF',
  auto_renew_on: 'SUBSCRIPTION_AUTO_RENEWAL_ON',
  grace: 'SUBSCRIPTION_ENTERED_GRACE_PERIOD',
  on_hold: undefined,
  paused: undefined,
  resumed: 'SUBSCRIPTION_RENEWED',
  product_changed: 'SUBSCRIPTION_MODIFIED_IMMEDIATE',
  change_scheduled: 'SUBSCRIPTION_MODIFIED_DEFERRED',
  expired: 'SUBSCRIPTION_EXPIRED',
  refunded: 'SUBSCRIPTION_CANCELLED',
  refund_reversed: undefined,
  revoked: 'SUBSCRIPTION_CANCELLED',
  extended: undefined,
  price_changed: undefined,
};

const receiptOf = ({ id }: SimulatedPurchase) => `${id.replaceAll('-', '')}:3:11`;

/** Amazon has no account hold: after the grace period a subscription is over. */
function describe(purchase: SimulatedPurchase) {
  const last = purchase.transactions.at(-1);
  const end = last?.expiresAt ?? null;
  const isOver = ['expired', 'on_hold', 'revoked'].includes(purchase.phase);
  const over = purchase.phase === 'on_hold' ? purchase.graceEndsAt : (last?.refundedAt ?? end);
  return {
    receiptId: receiptOf(purchase),
    productId: purchase.productId,
    parentProductId: null,
    productType: purchase.kind === 'subscription' ? 'SUBSCRIPTION' : 'ENTITLED',
    term: purchase.kind === 'subscription' ? '1 Month' : null,
    termSku: purchase.kind === 'subscription' ? purchase.productId : null,
    purchaseDate: purchase.transactions[0]?.at.getTime(),
    renewalDate: end?.getTime() ?? null,
    cancelDate: isOver ? (over?.getTime() ?? null) : null,
    cancelReason: isOver ? 1 : null,
    freeTrialEndDate: last?.isTrial ? (end?.getTime() ?? null) : null,
    gracePeriodEndDate: purchase.phase === 'grace' ? (purchase.graceEndsAt?.getTime() ?? null) : null,
    deferredDate: null,
    deferredSku: purchase.nextProductId,
    autoRenewing: purchase.autoRenew && !isOver,
    quantity: 1,
    countryCode: purchase.countryIso,
    betaProduct: false,
    testTransaction: purchase.environment === 'sandbox',
  };
}

function failure(status: number, message: string): FaceAnswer {
  return { status, body: { status: false, message } };
}
