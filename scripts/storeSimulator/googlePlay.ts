import { createPublicKey, randomUUID } from 'node:crypto';
import { decode, verify } from 'jsonwebtoken';
import { currencyExponent } from '../../src/billing/money';
import { type GooglePlayCredentials } from '../../src/adapters/appStores/credentials';
import { newRsaKeys, newTokenSigner } from './certificates';
import { bearerToken, ok, type Face, type FaceAnswer, type FaceRequest, type Sending } from './face';
import { type Market } from './market';
import { type Happening, type MarketEvent, type Phase, type SimulatedPurchase } from './purchase';

/** The credentials of an app in the simulated Play Console. */
export type GooglePlayApp = GooglePlayCredentials;

const assertionGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export class GooglePlayFace implements Face {
  readonly store = 'google-play';
  private readonly apps = new Map<string, GooglePlayApp>();
  private readonly accessTokens = new Map<string, GooglePlayApp>();
  private readonly signer = newTokenSigner();

  /** `url`: the address of the simulator. */
  constructor(
    private readonly market: Market,
    private readonly url: () => string,
  ) {}

  registerApp(): GooglePlayApp {
    const name = randomUUID().slice(0, 8);
    const app = {
      packageName: `org.example.a${name}`,
      clientEmail: `paywall-${name}@example.iam.gserviceaccount.com`,
      privateKey: newRsaKeys().privateKey,
      pushServiceAccount: `push-${name}@example.iam.gserviceaccount.com`,
      pushAudience: `https://paywall.example.org/${name}`,
    };
    this.apps.set(app.packageName, app);
    return app;
  }

  /** The token that the app on the device receives after a purchase. */
  purchaseToken(purchase: SimulatedPurchase): string {
    return tokenOf(purchase);
  }

  /** The purchase object in the form of the billing library. */
  purchaseObject(purchase: SimulatedPurchase): string {
    return JSON.stringify({
      orderId: orderId(purchase),
      packageName: purchase.app,
      productId: purchase.productId,
      purchaseTime: purchase.transactions[0]?.at.getTime(),
      purchaseState: 0,
      purchaseToken: tokenOf(purchase),
      acknowledged: purchase.acknowledgedAt !== null,
    });
  }

  /** Signs a push with any claims, with the key that the store publishes. */
  signPush(claims: object): string {
    return this.signer.sign(claims, '1h');
  }

  answer(request: FaceRequest): FaceAnswer | undefined {
    if (request.path === '/token') return this.giveToken(request);
    if (request.path === '/oauth2/v3/certs') return ok(this.signer.keySet);
    const [, packageName, rest] =
      /^\/androidpublisher\/v3\/applications\/([^/]+)\/purchases\/(.+)$/.exec(request.path) ?? [];
    return packageName === undefined || rest === undefined ? undefined : this.respond(request, packageName, rest);
  }

  notify(event: MarketEvent): Sending | undefined {
    const app = this.apps.get(event.purchase.app);
    const notification = tell(event);
    if (!app || !notification) return undefined;
    const { packageName, pushAudience, pushServiceAccount } = app;
    const eventTimeMillis = String(event.at.getTime());
    const data = JSON.stringify({ version: '1.0', packageName, eventTimeMillis, ...notification });
    const message = { data: Buffer.from(data).toString('base64'), messageId: event.id, attributes: {} };
    const sender = { iss: 'https://accounts.google.com', email: pushServiceAccount, email_verified: true };
    const token = this.signPush({ ...sender, aud: pushAudience });
    return {
      path: '/external-payments/google-play/notifications',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ message, subscription: 'projects/example/subscriptions/paywall' }),
    };
  }

  private giveToken({ body }: FaceRequest): FaceAnswer {
    const sent = new URLSearchParams(body);
    const assertion = sent.get('assertion') ?? '';
    const issuer = (decode(assertion) as { iss?: string } | null)?.iss;
    const app = [...this.apps.values()].find(({ clientEmail }) => clientEmail === issuer);
    try {
      if (!app || sent.get('grant_type') !== assertionGrant) throw new Error('unknown');
      verify(assertion, createPublicKey(app.privateKey), { algorithms: ['RS256'], audience: `${this.url()}/token` });
    } catch {
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    }
    const token = `ya29.${randomUUID()}`;
    this.accessTokens.set(token, app);
    return ok({ access_token: token, expires_in: 3600, token_type: 'Bearer' });
  }

  private respond(request: FaceRequest, packageName: string, rest: string): FaceAnswer {
    const app = this.accessTokens.get(bearerToken(request));
    if (!app) return failure(401, 'Request had invalid authentication credentials.');
    if (app.packageName !== packageName) return failure(403, 'The current user has insufficient permissions.');
    const purchases = this.market.in('google-play').filter((one) => one.app === packageName);
    if (rest === 'voidedpurchases') {
      const since = Number(request.query.get('startTime') ?? 0);
      return ok(pageOfVoided(listVoided(purchases, since), request.query.get('token')));
    }
    const [, kind = '', token = '', action] = /^(\w+)\/(?:[^/]+\/)?tokens\/([^/:]+)(?::(\w+))?$/.exec(rest) ?? [];
    const isSubscription = kind.startsWith('subscriptions');
    const purchase = purchases.find((one) => tokenOf(one) === decodeURIComponent(token));
    if (!purchase || (purchase.kind === 'subscription') !== isSubscription)
      return failure(404, 'The purchase token was not found.');
    if (action !== 'acknowledge')
      return ok(isSubscription ? describeSubscription(purchase) : describeProduct(purchase));
    this.market.acknowledge(purchase.id);
    return ok({});
  }
}

/** The notification type that Google sends for each event of a subscription; undefined if it sends none. */
const notificationTypes: Partial<Record<Happening, number>> = {
  recovered: 1,
  renewed: 2,
  auto_renew_off: 3,
  bought: 4,
  on_hold: 5,
  grace: 6,
  auto_renew_on: 7,
  resumed: 1,
  extended: 9,
  paused: 10,
  revoked: 12,
  refunded: 12,
  expired: 13,
  product_changed: 17,
  change_scheduled: 17,
  price_changed: 19,
};

function tell(event: MarketEvent): object | undefined {
  const { what, purchase } = event;
  const purchaseToken = tokenOf(purchase);
  if (what === 'refunded' || what === 'period_refunded') {
    const productType = purchase.kind === 'subscription' ? 1 : 2;
    return {
      voidedPurchaseNotification: { purchaseToken, orderId: orderIn(event), productType, refundType: 1 },
    };
  }
  if (purchase.kind === 'one_time')
    return {
      oneTimeProductNotification: { version: '1.0', notificationType: 1, purchaseToken, sku: purchase.productId },
    };
  const notificationType = notificationTypes[what];
  if (notificationType === undefined) return undefined;
  return { subscriptionNotification: { version: '1.0', notificationType, purchaseToken } };
}

function listVoided(purchases: SimulatedPurchase[], since: number): object[] {
  return purchases.flatMap((purchase) =>
    purchase.transactions.flatMap(({ refundedAt }, index) => {
      if (refundedAt === null || refundedAt.getTime() < since) return [];
      const voidedTimeMillis = String(refundedAt.getTime());
      return [{ purchaseToken: tokenOf(purchase), orderId: orderOf(purchase, index), voidedTimeMillis }];
    }),
  );
}

/** Short, so that tests with three purchases read a second page. */
const voidedPage = 2;

function pageOfVoided(all: object[], token: string | null): object {
  const from = Number(token ?? 0);
  const next = from + voidedPage;
  const tokenPagination = next < all.length ? { nextPageToken: String(next) } : undefined;
  return { voidedPurchases: all.slice(from, next), ...(tokenPagination && { tokenPagination }) };
}

const tokenOf = ({ id }: SimulatedPurchase) => `${id.replaceAll('-', '')}.AO-J1O`;

/** The order that an event is about. */
function orderIn({ purchase, transactionId }: MarketEvent): string {
  const index = purchase.transactions.findIndex(({ id }) => id === transactionId);
  return index < 0 ? orderId(purchase) : orderOf(purchase, index);
}

const orderId = (purchase: SimulatedPurchase) => orderOf(purchase, purchase.transactions.length - 1);

function orderOf({ id }: SimulatedPurchase, renewals: number): string {
  return `GPA.${id.slice(0, 8)}${renewals > 0 ? `..${renewals - 1}` : ''}`;
}

const states: Record<Phase, string> = {
  pending: 'PENDING',
  active: 'ACTIVE',
  grace: 'IN_GRACE_PERIOD',
  on_hold: 'ON_HOLD',
  paused: 'PAUSED',
  expired: 'EXPIRED',
  revoked: 'EXPIRED',
};

function describeSubscription(purchase: SimulatedPurchase) {
  const { phase, autoRenew, amountMinor, currency } = purchase;
  const last = purchase.transactions.at(-1);
  const state = phase === 'active' && !autoRenew ? 'CANCELED' : states[phase];
  const end = phase === 'grace' ? purchase.graceEndsAt : (last?.refundedAt ?? last?.expiresAt);
  const units = 10 ** currencyExponent(currency);
  return {
    kind: 'androidpublisher#subscriptionPurchaseV2',
    regionCode: purchase.countryIso,
    startTime: purchase.transactions[0]?.at.toISOString(),
    subscriptionState: `SUBSCRIPTION_STATE_${state}`,
    latestOrderId: orderId(purchase),
    acknowledgementState: acknowledgement(purchase),
    ...(purchase.accountUuid !== null && {
      externalAccountIdentifiers: { obfuscatedExternalAccountId: purchase.accountUuid },
    }),
    ...(purchase.environment === 'sandbox' && { testPurchase: {} }),
    ...(purchase.replacesId !== null && { linkedPurchaseToken: purchase.replacesId }),
    ...(purchase.resumesAt && { pausedStateContext: { autoResumeTime: purchase.resumesAt.toISOString() } }),
    lineItems: [
      {
        productId: purchase.productId,
        expiryTime: end?.toISOString(),
        latestSuccessfulOrderId: orderId(purchase),
        autoRenewingPlan: {
          ...(autoRenew && { autoRenewEnabled: true }),
          recurringPrice: {
            currencyCode: currency,
            units: String(Math.floor(amountMinor / units)),
            nanos: Math.round(((amountMinor % units) / units) * 1e9),
          },
        },
        offerPhase: last?.isTrial ? { freeTrial: {} } : { basePrice: {} },
        ...(purchase.nextProductId !== null && { deferredItemReplacement: { productId: purchase.nextProductId } }),
      },
    ],
  };
}

function describeProduct(purchase: SimulatedPurchase) {
  return {
    kind: 'androidpublisher#productPurchaseV2',
    productLineItem: [{ productId: purchase.productId }],
    purchaseStateContext: { purchaseState: purchase.phase === 'active' ? 'PURCHASED' : 'CANCELLED' },
    orderId: orderId(purchase),
    regionCode: purchase.countryIso,
    purchaseCompletionTime: purchase.transactions[0]?.at.toISOString(),
    acknowledgementState: acknowledgement(purchase),
    ...(purchase.accountUuid !== null && { obfuscatedExternalAccountId: purchase.accountUuid }),
    ...(purchase.environment === 'sandbox' && { testPurchaseContext: { fopType: 'TEST' } }),
  };
}

function acknowledgement({ acknowledgedAt }: SimulatedPurchase): string {
  return `ACKNOWLEDGEMENT_STATE_${acknowledgedAt ? 'ACKNOWLEDGED' : 'PENDING'}`;
}

function failure(status: number, message: string): FaceAnswer {
  return { status, body: { error: { code: status, message } } };
}
