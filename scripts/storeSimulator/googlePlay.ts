import { createPublicKey, randomUUID } from 'node:crypto';
import { decode, sign, verify } from 'jsonwebtoken';
import { currencyExponent } from '../../src/subscriptions/billing/money';
import { newRsaKeys } from './certificates';
import { type Face, type FaceAnswer, type FaceRequest } from './face';
import { type Happening, type Market, type MarketEvent, type Phase, type SimulatedPurchase } from './market';

/** Of apps in the simulated Play Console. */
export interface GooglePlayApp {
  packageName: string;
  clientEmail: string;
  /** PEM. */
  privateKey: string;
  pushServiceAccount: string;
  pushAudience: string;
}

export interface GooglePlayFace extends Face {
  registerApp(): GooglePlayApp;
  /** What the app on the device has in its hand after a purchase. */
  purchaseToken(purchase: SimulatedPurchase): string;
  /** The purchase object, as the billing library gives it to an app. */
  purchaseObject(purchase: SimulatedPurchase): string;
  /** Signs a push for whomever, with the key that the store publishes. */
  signPush(claims: object): string;
}

const assertionGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export function createGooglePlayFace(market: Market, url: () => string): GooglePlayFace {
  const apps = new Map<string, GooglePlayApp>();
  const accessTokens = new Map<string, GooglePlayApp>();
  const keys = newRsaKeys();
  const kid = randomUUID();
  const voided = new Map<string, Date>();
  market.onEvent(({ what, purchase, at }) => {
    if (what === 'refunded' || what === 'revoked') voided.set(tokenOf(purchase), at);
    if (what === 'refund_reversed') voided.delete(tokenOf(purchase));
  });

  const find = (token: string) =>
    [...market.purchases.values()].find((one) => one.store === 'google-play' && tokenOf(one) === token);

  const signPush = (claims: object) =>
    sign(claims, keys.privateKey, { algorithm: 'RS256', keyid: kid, expiresIn: '1h' });

  const giveToken = ({ body }: FaceRequest): FaceAnswer => {
    const sent = new URLSearchParams(body);
    const assertion = sent.get('assertion') ?? '';
    const issuer = (decode(assertion) as { iss?: string } | null)?.iss;
    const app = [...apps.values()].find(({ clientEmail }) => clientEmail === issuer);
    try {
      if (!app || sent.get('grant_type') !== assertionGrant) throw new Error('unknown');
      verify(assertion, createPublicKey(app.privateKey), { algorithms: ['RS256'], audience: `${url()}/token` });
    } catch {
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    }
    const token = `ya29.${randomUUID()}`;
    accessTokens.set(token, app);
    return { status: 200, body: { access_token: token, expires_in: 3600, token_type: 'Bearer' } };
  };

  const respond = (request: FaceRequest, packageName: string, rest: string): FaceAnswer => {
    const app = accessTokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (!app) return failure(401, 'Request had invalid authentication credentials.');
    if (app.packageName !== packageName) return failure(403, 'The current user has insufficient permissions.');
    if (rest === 'voidedpurchases')
      return { status: 200, body: pageOfVoided(listVoided(packageName), request.query.get('token')) };
    const [, kind = '', token = '', action] = /^(\w+)\/(?:[^/]+\/)?tokens\/([^/:]+)(?::(\w+))?$/.exec(rest) ?? [];
    const purchase = find(decodeURIComponent(token));
    const isSubscription = kind.startsWith('subscriptions');
    if (purchase?.app !== packageName || (purchase.kind === 'subscription') !== isSubscription)
      return failure(404, 'The purchase token was not found.');
    if (action === 'acknowledge') {
      market.acknowledge(purchase.id);
      return { status: 200, body: {} };
    }
    return { status: 200, body: isSubscription ? describeSubscription(purchase) : describeProduct(purchase) };
  };

  const listVoided = (packageName: string) =>
    [...market.purchases.values()]
      .filter((one) => one.app === packageName && voided.has(tokenOf(one)))
      .map((one) => ({ purchaseToken: tokenOf(one), voidedTimeMillis: String(voided.get(tokenOf(one))?.getTime()) }));

  return {
    store: 'google-play',
    signPush,
    purchaseToken: tokenOf,
    purchaseObject: (purchase) =>
      JSON.stringify({
        orderId: orderId(purchase),
        packageName: purchase.app,
        productId: purchase.productId,
        purchaseTime: purchase.transactions[0]?.at.getTime(),
        purchaseState: 0,
        purchaseToken: tokenOf(purchase),
        acknowledged: purchase.acknowledgedAt !== null,
      }),
    registerApp() {
      const name = randomUUID().slice(0, 8);
      const app = {
        packageName: `org.example.a${name}`,
        clientEmail: `paywall-${name}@example.iam.gserviceaccount.com`,
        privateKey: newRsaKeys().privateKey,
        pushServiceAccount: `push-${name}@example.iam.gserviceaccount.com`,
        pushAudience: `https://paywall.example.org/${name}`,
      };
      apps.set(app.packageName, app);
      return app;
    },
    answer(request) {
      if (request.path === '/token') return giveToken(request);
      if (request.path === '/oauth2/v3/certs') {
        const key = createPublicKey(keys.publicKey).export({ format: 'jwk' });
        return { status: 200, body: { keys: [{ ...key, kid, use: 'sig', alg: 'RS256' }] } };
      }
      const [, packageName, rest] =
        /^\/androidpublisher\/v3\/applications\/([^/]+)\/purchases\/(.+)$/.exec(request.path) ?? [];
      return packageName === undefined || rest === undefined ? undefined : respond(request, packageName, rest);
    },
    notify(event) {
      const app = apps.get(event.purchase.app);
      const told = tell(event);
      if (!app || !told) return undefined;
      const data = {
        version: '1.0',
        packageName: app.packageName,
        eventTimeMillis: String(event.at.getTime()),
        ...told,
      };
      const message = {
        data: Buffer.from(JSON.stringify(data)).toString('base64'),
        messageId: event.id,
        attributes: {},
      };
      const claims = {
        iss: 'https://accounts.google.com',
        aud: app.pushAudience,
        email: app.pushServiceAccount,
        email_verified: true,
      };
      return {
        path: '/external-payments/google-play/notifications',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${signPush(claims)}` },
        body: JSON.stringify({ message, subscription: 'projects/example/subscriptions/paywall' }),
      };
    },
  };
}

/** Of a subscription's notifications (subscriptions 8). */
const notificationTypes: Record<Happening, number | undefined> = {
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
  refund_reversed: undefined,
};

function tell({ what, purchase }: MarketEvent): object | undefined {
  const purchaseToken = tokenOf(purchase);
  if (what === 'refunded')
    return { voidedPurchaseNotification: { purchaseToken, orderId: orderId(purchase), productType: 1, refundType: 1 } };
  if (purchase.kind === 'one_time')
    return {
      oneTimeProductNotification: { version: '1.0', notificationType: 1, purchaseToken, sku: purchase.productId },
    };
  const notificationType = notificationTypes[what];
  if (notificationType === undefined) return undefined;
  return { subscriptionNotification: { version: '1.0', notificationType, purchaseToken } };
}

/** Short, so that every reader meets a second page. */
const voidedPage = 2;

function pageOfVoided(all: object[], token: string | null): object {
  const from = Number(token ?? 0);
  const next = from + voidedPage;
  const tokenPagination = next < all.length ? { nextPageToken: String(next) } : undefined;
  return { voidedPurchases: all.slice(from, next), ...(tokenPagination && { tokenPagination }) };
}

const tokenOf = ({ id }: SimulatedPurchase) => `${id.replaceAll('-', '')}.AO-J1O`;

function orderId({ id, transactions }: SimulatedPurchase): string {
  const renewals = transactions.length - 1;
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
