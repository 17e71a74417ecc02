import { randomUUID, sign } from 'node:crypto';
import { type AmazonCredentials } from '../../src/adapters/appStores/credentials';
import { issueCertificate, newRsaKeys } from './certificates';
import { ok, type Face, type FaceAnswer, type FaceRequest, type Sending } from './face';
import { type Market } from './market';
import { type Happening, type MarketEvent, type SimulatedPurchase } from './purchase';

/** The credentials of an app in the simulated Amazon Appstore. */
export type AmazonApp = AmazonCredentials;

const certificatePath = '/SimpleNotificationService.pem';
const receiptPath =
  /^(\/sandbox)?\/version\/1\.0\/verifyReceiptId\/developer\/([^/]+)\/user\/([^/]*)\/receiptId\/([^/]+)$/;

export class AmazonFace implements Face {
  readonly store = 'amazon';
  /** Topics whose confirmation address was called. */
  readonly confirmed = new Set<string>();
  private readonly apps = new Map<string, AmazonApp>();
  private readonly keys = newRsaKeys();
  private readonly certificate = issueCertificate({
    subject: '/CN=sns.simulator',
    keys: this.keys,
    isAuthority: false,
  });

  /** `url`: the address of the simulator. */
  constructor(
    private readonly market: Market,
    private readonly url: () => string,
  ) {}

  registerApp(): AmazonApp {
    const name = randomUUID().slice(0, 8);
    const app = {
      packageName: `org.example.f${name}`,
      sharedSecret: `2:${randomUUID().replaceAll('-', '')}`,
      topicArn: `arn:aws:sns:us-east-1:123456789012:paywall-${name}`,
    };
    this.apps.set(app.packageName, app);
    return app;
  }

  receiptId(purchase: SimulatedPurchase): string {
    return receiptOf(purchase);
  }

  /** A signed SNS envelope. */
  envelope(topicArn: string, changes: object, version: '1' | '2' = '2'): Sending {
    const fields: Record<string, string> = {
      Type: 'Notification',
      MessageId: randomUUID(),
      TopicArn: topicArn,
      Message: '{}',
      Timestamp: this.market.now.toISOString(),
      SignatureVersion: version,
      SigningCertURL: `${this.url()}${certificatePath}`,
      ...changes,
    };
    const digest = version === '2' ? 'RSA-SHA256' : 'RSA-SHA1';
    const Signature = sign(digest, Buffer.from(signedText(fields)), this.keys.privateKey).toString('base64');
    return {
      path: '/external-payments/amazon/notifications',
      headers: { 'Content-Type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': fields['Type'] ?? '' },
      body: JSON.stringify({ ...fields, Signature }),
    };
  }

  answer({ path, query }: FaceRequest): FaceAnswer | undefined {
    if (path === certificatePath) return ok(this.certificate.pem);
    if (path === '/confirm') {
      this.confirmed.add(query.get('topic') ?? '');
      return ok('<ConfirmSubscriptionResponse/>');
    }
    const [, sandbox, ...parts] = receiptPath.exec(path) ?? [];
    if (parts.length === 0) return undefined;
    const answer = this.verifyReceipt(parts, sandbox === undefined ? 'production' : 'sandbox');
    return { ...answer, headers: { Date: this.market.now.toUTCString() } };
  }

  notify({ what, purchase, at, id }: MarketEvent): Sending | undefined {
    const app = this.apps.get(purchase.app);
    const notificationType = notificationTypes[what];
    if (!app || notificationType === undefined) return undefined;
    const notification = {
      appPackageName: app.packageName,
      notificationType,
      appUserId: purchase.user,
      receiptId: receiptOf(purchase),
      timestamp: at.getTime(),
      betaProductTransaction: purchase.environment === 'sandbox',
    };
    return this.envelope(app.topicArn, { MessageId: id, Message: JSON.stringify(notification) });
  }

  private verifyReceipt(parts: string[], environment: SimulatedPurchase['environment']): FaceAnswer {
    const [secret = '', user = '', receipt = ''] = parts.map(decodeURIComponent);
    const ownApps = [...this.apps.values()].filter(({ sharedSecret }) => sharedSecret === secret);
    const isOwn = ({ app }: SimulatedPurchase) => ownApps.some(({ packageName }) => packageName === app);
    const isProduction = environment === 'production';
    if (isProduction && ownApps.length === 0) return failure(496, 'Invalid sharedSecret');
    const purchase = this.market
      .in('amazon')
      .find((one) => receiptOf(one) === receipt && one.environment === environment);
    if (!purchase || (isProduction && !isOwn(purchase))) return failure(400, 'Invalid receiptId');
    if (purchase.user !== user) return failure(497, 'Invalid User ID');
    const isRefundedOnce = purchase.kind === 'subscription' && purchase.phase === 'revoked';
    return isRefundedOnce ? failure(410, 'Transaction no longer valid') : ok(describe(purchase));
  }
}

function signedText(fields: Record<string, string>): string {
  return ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
    .filter((name) => fields[name] !== undefined)
    .map((name) => `${name}\n${fields[name]}\n`)
    .join('');
}

const notificationTypes: Partial<Record<Happening, string>> = {
  bought: 'SUBSCRIPTION_PURCHASED',
  renewed: 'SUBSCRIPTION_RENEWED',
  recovered: 'SUBSCRIPTION_RENEWED',
  auto_renew_off: 'SUBSCRIPTION_AUTO_RENEWAL_OFF',
  auto_renew_on: 'SUBSCRIPTION_AUTO_RENEWAL_ON',
  grace: 'SUBSCRIPTION_ENTERED_GRACE_PERIOD',
  resumed: 'SUBSCRIPTION_RENEWED',
  product_changed: 'SUBSCRIPTION_MODIFIED_IMMEDIATE',
  change_scheduled: 'SUBSCRIPTION_MODIFIED_DEFERRED',
  expired: 'SUBSCRIPTION_EXPIRED',
  refunded: 'SUBSCRIPTION_CANCELLED',
  revoked: 'SUBSCRIPTION_CANCELLED',
};

const receiptOf = ({ id }: SimulatedPurchase) => `${id.replaceAll('-', '')}:3:11`;

/** Amazon has no account hold: a subscription ends after the grace period. */
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
