import { randomUUID } from 'node:crypto';
import { createAmazon } from '../../../src/adapters/appStores/amazon';
import { amazonApp } from '../../../src/adapters/appStores/amazonNotification';
import { type AppStore, type StoreAnswer, type StorePurchase } from '../../../src/adapters/appStores/store';
import { AmazonFace, type AmazonApp } from '../../../scripts/storeSimulator/amazon';
import { Market } from '../../../scripts/storeSimulator/market';
import { type Order, type SimulatedPurchase } from '../../../scripts/storeSimulator/purchase';
import { startSimulator, type Simulator } from '../../../scripts/storeSimulator/simulator';
import { passEnd } from '../../support/storeMarket';

const dayMs = 86_400_000;

const market = new Market();
const face = new AmazonFace(market, () => simulator.url);
let simulator: Simulator;
let app: AmazonApp;

beforeAll(async () => {
  simulator = await startSimulator(market, [face]);
  app = face.registerApp();
});
afterAll(() => simulator.stop());
afterEach(() => simulator.setHealth('well'));

const store = (credentials: AmazonApp = app, timeoutMs = 20_000): AppStore =>
  createAmazon(credentials, { apiBase: simulator.url, certificateBase: simulator.url, timeoutMs });

const buy = (of: Partial<Order> = {}) =>
  market.buy({ store: 'amazon', app: app.packageName, productId: 'monthly', kind: 'subscription', ...of });

function found(answer: StoreAnswer): StorePurchase {
  if (answer.outcome !== 'found') throw new Error(JSON.stringify(answer));
  return answer.purchase;
}

const validate = (purchase: SimulatedPurchase, timeoutMs?: number) =>
  store(app, timeoutMs).validate({ receipt: face.receiptId(purchase), amazonUserId: purchase.user });
const later = (days: number) => market.advance(new Date(market.now.getTime() + days * dayMs));
const inSeconds = (instant: Date | null) => instant && new Date(Math.floor(instant.getTime() / 1000) * 1000);

describe('a claim', () => {
  test('of a subscription says how it stands', async () => {
    const purchase = buy({ countryIso: 'MK' });
    expect(found(await validate(purchase))).toMatchObject({
      reference: {
        id: face.receiptId(purchase),
        environment: 'production',
        productId: 'monthly',
        userId: purchase.user,
      },
      kind: 'subscription',
      state: 'active',
      autoRenew: true,
      countryIso: 'MK',
      expiresAt: market.periodEnd(purchase),
      asOf: inSeconds(market.now),
    });
  });

  test('of a test purchase is found in the sandbox', async () => {
    expect(found(await validate(buy({ environment: 'sandbox' }))).reference.environment).toBe('sandbox');
  });

  test('of a thing that is bought once never ends, until it is given back', async () => {
    const purchase = buy({ kind: 'one_time', productId: 'film' });
    expect(found(await validate(purchase))).toMatchObject({ kind: 'one_time', state: 'active', expiresAt: null });
    later(1);
    market.refund(purchase.id);
    later(1);
    expect(found(await validate(purchase)).state).toBe('revoked');
  });

  test('of a trial says that it is one', async () => {
    expect(found(await validate(buy({ trial: { quantity: 7, period: 'day' } }))).isTrial).toBe(true);
  });
});

describe('a claim that is refused', () => {
  test.each([
    ['garbage', 'x y'.repeat(10_000)],
    ['a receipt that Amazon does not know', 'abc:3:11'],
  ])('%s', async (_what, receipt) => {
    const answer = await store().validate({ receipt, amazonUserId: 'user' });
    expect(answer).toMatchObject({ outcome: 'refused', reason: 'invalid_receipt' });
  });

  test("somebody else's receipt, and a purchase in another merchant's app", async () => {
    const purchase = buy();
    const stolen = await store().validate({ receipt: face.receiptId(purchase), amazonUserId: 'thief' });
    expect(stolen).toMatchObject({ reason: 'invalid_receipt' });
    expect(await validate(buy({ app: face.registerApp().packageName }))).toMatchObject({ reason: 'invalid_receipt' });
  });

  test("a merchant's secret that Amazon does not know", async () => {
    const purchase = buy();
    const wrong = store({ ...app, sharedSecret: 'wrong' });
    const answer = await wrong.validate({ receipt: face.receiptId(purchase), amazonUserId: purchase.user });
    expect(answer).toMatchObject({ reason: 'store_credentials' });
    expect(JSON.stringify(answer)).not.toContain('wrong"');
  });

  test.each(['failing', 'down', 'slow'] as const)('while Amazon is %s there is no answer yet', async (health) => {
    const purchase = buy();
    simulator.setHealth(health);
    expect(await validate(purchase, 200)).toEqual({ outcome: 'unavailable' });
  });
});

test('the story: renewed, grace, recovered, cancelled, expired, taken back', async () => {
  const purchase = buy();
  const { reference, transactionId } = found(await validate(purchase));
  const now = async () => found(await store().lookUp(reference));

  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'active', expiresAt: market.periodEnd(purchase) });
  expect((await now()).transactionId).not.toBe(transactionId);

  market.setBroke(purchase.id, true);
  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'grace', graceEndsAt: market.get(purchase.id).graceEndsAt });
  market.setBroke(purchase.id, false);
  expect(await now()).toMatchObject({ state: 'active', graceEndsAt: null });

  market.setAutoRenew(purchase.id, false);
  expect(await now()).toMatchObject({ state: 'active', autoRenew: false });
  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'expired', expiresAt: market.periodEnd(purchase) });
  market.refund(purchase.id);
  expect(await store().lookUp(reference)).toEqual({ outcome: 'taken_back' });
});

describe('a notification', () => {
  const notice = (purchase: SimulatedPurchase, id: string = randomUUID()) => {
    const sending = face.notify({ id, what: 'renewed', at: market.now, purchase });
    return Buffer.from(sending?.body ?? '');
  };
  const bodyOf = (changes: object, topic = app.topicArn, version?: '1' | '2') =>
    Buffer.from(face.envelope(topic, changes, version).body);

  test('names the purchase to look at, and itself', async () => {
    const purchase = buy();
    const body = notice(purchase, 'message-1');
    expect(await store().readNotification(body, {})).toEqual({
      id: 'message-1',
      type: 'SUBSCRIPTION_RENEWED',
      at: market.now,
      purchase: { id: face.receiptId(purchase), environment: 'production', productId: '', userId: purchase.user },
    });
    expect(amazonApp(body)).toEqual({ packageName: app.packageName, topicArn: app.topicArn });
  });

  test('of the older signature is read too', async () => {
    const body = bodyOf({ Message: JSON.stringify({ appPackageName: app.packageName }) }, app.topicArn, '1');
    expect(await store().readNotification(body, {})).toMatchObject({ purchase: null });
  });

  test('that asks to confirm a topic has it confirmed', async () => {
    const body = bodyOf({
      Type: 'SubscriptionConfirmation',
      Message: 'You have chosen to subscribe.',
      Token: 'token',
      SubscribeURL: `${simulator.url}/confirm?topic=${app.topicArn}`,
    });
    expect(await store().readNotification(body, {})).toMatchObject({
      type: 'SubscriptionConfirmation',
      purchase: null,
    });
    expect(face.confirmed).toContain(app.topicArn);
    expect(amazonApp(body)).toEqual({ topicArn: app.topicArn });
  });

  const strangers = (): [string, Buffer][] => [
    ['garbage', Buffer.from('x'.repeat(100_000))],
    ['nothing', Buffer.from('{}')],
    ['changed on its way', Buffer.from(notice(buy()).toString().replace('RENEWED', 'PURCHASED'))],
    ['of another topic', bodyOf({}, 'arn:aws:sns:us-east-1:1:other')],
    ['of another app', bodyOf({ Message: JSON.stringify({ appPackageName: 'org.other' }) })],
    ['with a certificate from elsewhere', bodyOf({ SigningCertURL: 'https://example.org/cert.pem' })],
    [
      'with a certificate from a host that looks like it',
      bodyOf({ SigningCertURL: 'https://sns.eu.amazonaws.com.evil.example/c.pem' }),
    ],
    ['with a certificate over plain HTTP', bodyOf({ SigningCertURL: 'http://sns.eu-west-1.amazonaws.com/c.pem' })],
    [
      'that would have another address called',
      bodyOf({ Type: 'SubscriptionConfirmation', SubscribeURL: 'http://169.254.169.254/latest' }),
    ],
  ];

  test('of a stranger is refused', async () => {
    for (const [what, body] of strangers()) {
      const read = store().readNotification(body, {});
      await expect(read.then(() => `read: ${what}`)).rejects.toMatchObject({ code: 'invalid_signature' });
    }
  });
});

describe('testing credentials', () => {
  test('finds nothing wrong with a secret that Amazon knows', async () => {
    expect(await store().testCredentials()).toEqual([]);
  });

  test('says what is wrong, and repeats no secret', async () => {
    const problems = await store({ ...app, sharedSecret: 'very-secret' }).testCredentials();
    expect(problems).toEqual([{ field: 'shared_secret', message: expect.any(String) as string }]);
    expect(JSON.stringify(problems)).not.toContain('very-secret');
  });
});
