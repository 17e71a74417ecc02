import { randomUUID } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import { createRoku } from '../../../src/adapters/appStores/roku';
import { rokuApp } from '../../../src/adapters/appStores/rokuNotification';
import { type AppStore, type StoreAnswer, type StorePurchase } from '../../../src/adapters/appStores/store';
import { newRsaKeys } from '../../../scripts/storeSimulator/certificates';
import { Market } from '../../../scripts/storeSimulator/market';
import { type Order, type SimulatedPurchase } from '../../../scripts/storeSimulator/purchase';
import { RokuFace, type RokuApp } from '../../../scripts/storeSimulator/roku';
import { startSimulator, type Simulator } from '../../../scripts/storeSimulator/simulator';
import { passEnd } from '../../support/storeMarket';

const dayMs = 86_400_000;

const market = new Market();
const face = new RokuFace(market);
let simulator: Simulator;
let app: RokuApp;

beforeAll(async () => {
  simulator = await startSimulator(market, [face]);
  app = face.registerApp();
});
afterAll(() => simulator.stop());
afterEach(() => simulator.setHealth('well'));

const store = (credentials: RokuApp = app, timeoutMs = 20_000): AppStore =>
  createRoku(credentials, {
    apiBase: simulator.url,
    keysUrl: `${simulator.url}/keys/partner-jwks.json`,
    timeoutMs,
  });

const buy = (of: Partial<Order> = {}) =>
  market.buy({ store: 'roku', app: app.channelId, productId: 'monthly', kind: 'subscription', currency: 'USD', ...of });

function found(answer: StoreAnswer): StorePurchase {
  if (answer.outcome !== 'found') throw new Error(JSON.stringify(answer));
  return answer.purchase;
}

const validate = (purchase: SimulatedPurchase, timeoutMs?: number) =>
  store(app, timeoutMs).validate({ receipt: face.transactionId(purchase) });
const later = (days: number) => market.advance(new Date(market.now.getTime() + days * dayMs));

describe('a claim', () => {
  test('of a subscription says how it stands', async () => {
    const accountUuid = randomUUID();
    const purchase = buy({ accountUuid });
    expect(found(await validate(purchase))).toMatchObject({
      reference: { id: face.transactionId(purchase), environment: 'production', productId: 'monthly' },
      kind: 'subscription',
      state: 'active',
      autoRenew: true,
      price: { amount: 9.99, currency: 'USD' },
      accountUuid,
      expiresAt: market.periodEnd(purchase),
    });
  });

  test('of a thing that is bought once is good although Roku never calls it entitled', async () => {
    const purchase = buy({ kind: 'one_time', productId: 'film' });
    expect(found(await validate(purchase))).toMatchObject({ kind: 'one_time', state: 'active', expiresAt: null });
    market.refund(purchase.id);
    expect(found(await validate(purchase)).state).toBe('revoked');
  });

  test('of a trial is free, and of a plan that took the place of another names that', async () => {
    const replacesId = randomUUID();
    const purchase = buy({ trial: { quantity: 7, period: 'day' }, replacesId });
    expect(found(await validate(purchase))).toMatchObject({ isTrial: true, price: { amount: 0 }, replacesId });
  });
});

describe('a claim that is refused', () => {
  test.each([
    ['garbage', 'x'.repeat(100_000)],
    ['a path', '../../refund'],
    ['what Roku calls malformed', 'abc'],
    ['a transaction that Roku does not know', randomUUID()],
  ])('%s', async (_what, receipt) => {
    expect(await store().validate({ receipt })).toMatchObject({ outcome: 'refused', reason: 'invalid_receipt' });
  });

  test("a purchase in another merchant's app, and in another app of the same partner", async () => {
    expect(await validate(buy({ app: face.registerApp().channelId }))).toMatchObject({ reason: 'invalid_receipt' });
    const elsewhere = store({ ...app, channelId: '999' });
    expect(await elsewhere.validate({ receipt: face.transactionId(buy()) })).toMatchObject({ reason: 'wrong_app' });
  });

  test("a merchant's key that Roku does not know", async () => {
    const wrong = store({ ...app, partnerApiKey: 'WRONG-KEY' });
    const answer = await wrong.validate({ receipt: face.transactionId(buy()) });
    expect(answer).toMatchObject({ reason: 'store_credentials' });
    expect(JSON.stringify(answer)).not.toContain('WRONG-KEY');
  });

  test.each(['failing', 'down', 'slow'] as const)('while Roku is %s there is no answer yet', async (health) => {
    const purchase = buy();
    simulator.setHealth(health);
    expect(await validate(purchase, 200)).toEqual({ outcome: 'unavailable' });
  });
});

test('the story: renewed, grace, on hold, recovered, cancelled, expired', async () => {
  const purchase = buy();
  const { reference } = found(await validate(purchase));
  const now = async () => found(await store().lookUp(reference));

  passEnd(market, purchase);
  expect(await now()).toMatchObject({
    state: 'active',
    reference: { id: reference.id },
    expiresAt: market.periodEnd(purchase),
  });
  market.setBroke(purchase.id, true);
  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'grace', expiresAt: market.periodEnd(purchase) });
  later(4);
  expect(await now()).toMatchObject({ state: 'on_hold', autoRenew: true });
  market.setBroke(purchase.id, false);
  expect(await now()).toMatchObject({ state: 'active', expiresAt: market.periodEnd(purchase) });

  market.setAutoRenew(purchase.id, false);
  expect(await now()).toMatchObject({ state: 'active', autoRenew: false });
  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'expired', autoRenew: false });
});

test('a refund in the middle of a period ends it at once', async () => {
  const purchase = buy();
  market.refund(purchase.id);
  expect(found(await validate(purchase)).state).toBe('revoked');
});

describe('a push', () => {
  const bodyOf = (message: object) => Buffer.from(face.push(message).body);

  test('names the purchase to look at, and itself, and is answered with its key', async () => {
    const purchase = buy();
    const sending = face.notify({ id: 'push-1', what: 'renewed', at: market.now, purchase });
    const body = Buffer.from(sending?.body ?? '');
    expect(await store().readNotification(body, {})).toEqual({
      id: 'push-1',
      type: 'Sale',
      at: market.now,
      reply: 'push-1',
      purchase: {
        id: face.transactionId(purchase),
        transactionId: face.transactionId(purchase),
        environment: 'production',
        productId: 'monthly',
      },
    });
    expect(rokuApp(body)).toBe(app.channelId);
    expect(rokuApp(Buffer.from('x'))).toBeUndefined();
  });

  test.each([
    ['garbage', () => Buffer.from('x'.repeat(100_000))],
    [
      'signed with another key',
      () => Buffer.from(sign({}, newRsaKeys().privateKey, { algorithm: 'RS256', keyid: 'x' })),
    ],
    ['signed with a shared secret', () => Buffer.from(sign({}, 'whatever'))],
    ['of another app', () => bodyOf({ channelId: 1 })],
    ['of no app', () => bodyOf({})],
  ])('%s is refused', async (_what, body) => {
    await expect(store().readNotification(body(), {})).rejects.toMatchObject({ code: 'invalid_signature' });
  });
});

describe('testing credentials', () => {
  test('finds nothing wrong with a key that Roku knows', async () => {
    expect(await store().testCredentials()).toEqual([]);
  });

  test('says what is wrong, and repeats no secret', async () => {
    const problems = await store({ ...app, partnerApiKey: 'VERY-SECRET' }).testCredentials();
    expect(problems).toEqual([{ field: 'partner_api_key', message: expect.any(String) as string }]);
    expect(JSON.stringify(problems)).not.toContain('VERY-SECRET');
  });
});
