import { randomUUID } from 'node:crypto';
import { createAmazon } from '../../../src/adapters/appStores/amazon';
import { createApple } from '../../../src/adapters/appStores/apple';
import { createGooglePlay } from '../../../src/adapters/appStores/googlePlay';
import { createRoku } from '../../../src/adapters/appStores/roku';
import { registerApps, startStores, type StoreApps, type Stores } from '../../support/stores';

/** A verified notification of each kind names the purchase to look up. */

let stores: Stores;
let apps: StoreApps;
const timeoutMs = 20_000;

beforeAll(async () => {
  stores = await startStores();
  apps = registerApps(stores);
});
afterAll(() => stores.simulator.stop());

test.each([
  ['SUBSCRIBED', 'INITIAL_BUY'],
  ['SUBSCRIBED', 'RESUBSCRIBE'],
  ['DID_RENEW', undefined],
  ['DID_RENEW', 'BILLING_RECOVERY'],
  ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_DISABLED'],
  ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_ENABLED'],
  ['DID_FAIL_TO_RENEW', 'GRACE_PERIOD'],
  ['DID_FAIL_TO_RENEW', undefined],
  ['GRACE_PERIOD_EXPIRED', undefined],
  ['DID_CHANGE_RENEWAL_PREF', 'UPGRADE'],
  ['DID_CHANGE_RENEWAL_PREF', 'DOWNGRADE'],
  ['EXPIRED', 'VOLUNTARY'],
  ['EXPIRED', 'BILLING_RETRY'],
  ['EXPIRED', 'PRICE_INCREASE'],
  ['EXPIRED', 'PRODUCT_NOT_FOR_SALE'],
  ['REFUND', undefined],
  ['REFUND_REVERSED', undefined],
  ['REVOKE', undefined],
  ['RENEWAL_EXTENDED', undefined],
  ['RENEWAL_EXTENSION', 'SUMMARY'],
  ['PRICE_INCREASE', 'PENDING'],
  ['PRICE_INCREASE', 'ACCEPTED'],
  ['PRICE_CHANGE', undefined],
  ['ONE_TIME_CHARGE', undefined],
  ['OFFER_REDEEMED', undefined],
])('Apple: %s %s', async (notificationType, subtype) => {
  const { bundleId, appAppleId } = apps.apple;
  const { APPLE_API_BASE: apiBase } = stores.environment;
  const purchase = stores.simulator.market.buy({ store: 'apple', app: bundleId, productId: 'p', kind: 'subscription' });
  const data = {
    bundleId,
    appAppleId,
    environment: 'Production',
    signedTransactionInfo: stores.apple.signedTransaction(purchase),
  };
  const signedDate = Date.now();
  const about = subtype === 'SUMMARY' ? { summary: { ...data, requestIdentifier: 'x' } } : { data };
  const payload = { notificationType, subtype, notificationUUID: randomUUID(), version: '2.0', signedDate, ...about };
  const store = createApple(apps.apple, { rootCertificates: [stores.apple.rootCertificate], apiBase, timeoutMs });
  const body = Buffer.from(JSON.stringify({ signedPayload: stores.apple.signAnything(payload) }));
  const read = await store.readNotification(body, {});
  expect(read).toMatchObject({ id: payload.notificationUUID, at: new Date(signedDate) });
  expect(read.type).toContain(notificationType);
  const id = stores.apple.transactionId(purchase);
  // A summary is about a whole extension. Each purchase has a notification of its own.
  expect(read.purchase?.id).toBe(subtype === 'SUMMARY' ? undefined : id);
});

const googleNumbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 19, 20, 22];

test.each([
  ...googleNumbers.map((notificationType) => ({ subscriptionNotification: { notificationType } })),
  { oneTimeProductNotification: { notificationType: 1, sku: 'p' } },
  { oneTimeProductNotification: { notificationType: 2, sku: 'p' } },
  { voidedPurchaseNotification: { orderId: 'GPA.1', refundType: 1 } },
  { pendingRefundReviewNotification: {} },
])('Google: %j', async (told) => {
  const app = apps['google-play'];
  const [[name, about] = ['', {}]] = Object.entries(told);
  const eventTimeMillis = Date.now();
  const notification = {
    packageName: app.packageName,
    eventTimeMillis: String(eventTimeMillis),
    [name]: { ...about, purchaseToken: 'token-1' },
  };
  const data = Buffer.from(JSON.stringify(notification)).toString('base64');
  const {
    GOOGLE_API_BASE: apiBase = '',
    GOOGLE_TOKEN_URL: tokenUrl = '',
    GOOGLE_KEYS_URL: keysUrl = '',
  } = stores.environment;
  const claims = {
    iss: 'https://accounts.google.com',
    aud: app.pushAudience,
    email: app.pushServiceAccount,
    email_verified: true,
  };
  const store = createGooglePlay(app, { apiBase, tokenUrl, keysUrl, timeoutMs });
  const body = Buffer.from(JSON.stringify({ message: { data, messageId: 'message-1' }, subscription: 's' }));
  const headers = { authorization: `Bearer ${stores.googlePlay.signPush(claims)}` };
  expect(await store.readNotification(body, headers)).toMatchObject({
    id: `${app.pushServiceAccount}/message-1`,
    at: new Date(eventTimeMillis),
    purchase: { id: 'token-1' },
  });
});

test.each([
  'SUBSCRIPTION_PURCHASED',
  'SUBSCRIPTION_RENEWED',
  'SUBSCRIPTION_CONVERTED_FREE_TRIAL_TO_PAID',
  'SUBSCRIPTION_AUTO_RENEWAL_OFF',
  'SUBSCRIPTION_AUTO_RENEWAL_ON',
  'SUBSCRIPTION_ENTERED_GRACE_PERIOD',
  'SUBSCRIPTION_MODIFIED_IMMEDIATE',
  'SUBSCRIPTION_MODIFIED_DEFERRED',
  'SUBSCRIPTION_EXPIRED',
  'SUBSCRIPTION_CANCELLED',
  'CONSUMABLE_PURCHASED',
  'ENTITLEMENT_PURCHASED',
])('Amazon: %s', async (notificationType) => {
  const { packageName, topicArn } = apps.amazon;
  const { AMAZON_API_BASE: apiBase = '' } = stores.environment;
  const told = { appPackageName: packageName, notificationType, appUserId: 'user-1', receiptId: 'receipt-1' };
  const { body } = stores.amazon.envelope(topicArn, { MessageId: 'message-1', Message: JSON.stringify(told) });
  const store = createAmazon(apps.amazon, { apiBase, certificateBase: apiBase, timeoutMs });
  expect(await store.readNotification(Buffer.from(body), {})).toMatchObject({
    id: 'message-1',
    type: notificationType,
    purchase: { id: 'receipt-1', userId: 'user-1' },
  });
});

test.each([
  'Sale',
  'GraceInitiated',
  'GraceRecovered',
  'OnHoldInitiated',
  'OnHoldRecovered',
  'Cancellation',
  'CancellationOfferAccepted',
  'UPGRADE',
  'DOWNGRADE',
  'Refund',
  'Credit',
])('Roku: %s', async (transactionType) => {
  const { ROKU_API_BASE: apiBase = '', ROKU_KEYS_URL: keysUrl = '' } = stores.environment;
  const message = {
    transactionType,
    transactionId: 'later',
    originalTransactionId: 'first',
    channelId: Number(apps.roku.channelId),
    eventDate: '2026-01-02T03:04:05.000Z',
    responseKey: 'answer me',
  };
  const store = createRoku(apps.roku, { apiBase, keysUrl, timeoutMs });
  const { body } = stores.roku.push(message, 'key-1');
  expect(await store.readNotification(Buffer.from(body), {})).toEqual({
    id: 'key-1',
    type: transactionType,
    at: new Date(message.eventDate),
    reply: 'answer me',
    purchase: expect.objectContaining({ id: 'first', transactionId: 'later' }) as unknown,
    ...(transactionType === 'Refund' && {
      refund: { transactionId: 'later', refundedAt: new Date(message.eventDate) },
    }),
  });
});
