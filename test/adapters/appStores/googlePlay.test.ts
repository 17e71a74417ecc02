import { randomUUID } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import { createGooglePlay } from '../../../src/adapters/appStores/googlePlay';
import { googlePlayApp } from '../../../src/adapters/appStores/googlePlayNotification';
import { type AppStore, type StoreAnswer, type StorePurchase } from '../../../src/adapters/appStores/store';
import { newEcKeys, newRsaKeys } from '../../../scripts/storeSimulator/certificates';
import { GooglePlayFace, type GooglePlayApp } from '../../../scripts/storeSimulator/googlePlay';
import { Market } from '../../../scripts/storeSimulator/market';
import { type Order, type SimulatedPurchase } from '../../../scripts/storeSimulator/purchase';
import { startSimulator, type Simulator } from '../../../scripts/storeSimulator/simulator';
import { passEnd } from '../../support/storeMarket';

const dayMs = 86_400_000;

const market = new Market();
const face = new GooglePlayFace(market, () => simulator.url);
let simulator: Simulator;
let app: GooglePlayApp;

beforeAll(async () => {
  simulator = await startSimulator(market, [face]);
  app = face.registerApp();
});
afterAll(() => simulator.stop());
afterEach(() => simulator.setHealth('well'));

const store = (credentials: GooglePlayApp = app, timeoutMs = 20_000): AppStore =>
  createGooglePlay(credentials, {
    apiBase: simulator.url,
    tokenUrl: `${simulator.url}/token`,
    keysUrl: `${simulator.url}/oauth2/v3/certs`,
    timeoutMs,
  });

const buy = (of: Partial<Order> = {}) =>
  market.buy({ store: 'google-play', app: app.packageName, productId: 'monthly', kind: 'subscription', ...of });

function found(answer: StoreAnswer): StorePurchase {
  if (answer.outcome !== 'found') throw new Error(JSON.stringify(answer));
  return answer.purchase;
}

const validate = (purchase: SimulatedPurchase, timeoutMs?: number) =>
  store(app, timeoutMs).validate({ receipt: face.purchaseToken(purchase) });
const later = (days: number) => market.advance(new Date(market.now.getTime() + days * dayMs));

describe('a claim', () => {
  test('a purchase token, and the purchase object of the app, name the same purchase', async () => {
    const accountUuid = randomUUID();
    const purchase = buy({ accountUuid, countryIso: 'MK', amountMinor: 1_299 });
    const byToken = found(await validate(purchase));
    const byObject = found(await store().validate({ receipt: face.purchaseObject(purchase) }));
    expect({ ...byObject, asOf: 0 }).toEqual({ ...byToken, asOf: 0 });
    expect(byToken).toMatchObject({
      reference: { id: face.purchaseToken(purchase), environment: 'production', productId: 'monthly' },
      kind: 'subscription',
      state: 'active',
      autoRenew: true,
      price: { amount: 12.99, currency: 'EUR' },
      needsAcknowledgement: true,
      accountUuid,
      countryIso: 'MK',
      expiresAt: market.periodEnd(purchase),
    });
  });

  test('of a licensed tester is of the sandbox', async () => {
    expect(found(await validate(buy({ environment: 'sandbox' }))).reference.environment).toBe('sandbox');
  });

  test('of a thing that is bought once never ends, until it is given back', async () => {
    const purchase = buy({ kind: 'one_time', productId: 'film' });
    expect(found(await validate(purchase))).toMatchObject({ kind: 'one_time', state: 'active', expiresAt: null });
    market.refund(purchase.id);
    expect(found(await validate(purchase)).state).toBe('revoked');
  });

  test('of a trial says that it is one, and of a plan that took the place of another names that', async () => {
    const old = buy();
    const purchase = buy({ trial: { quantity: 7, period: 'day' }, replacesId: face.purchaseToken(old) });
    expect(found(await validate(purchase))).toMatchObject({ isTrial: true, replacesId: face.purchaseToken(old) });
  });

  test.each(['subscription', 'one_time'] as const)(
    'of a %s that was acknowledged, twice, needs it no more',
    async (kind) => {
      const purchase = found(await validate(buy({ kind })));
      expect(await store().acknowledge?.(purchase)).toBe('done');
      expect(await store().acknowledge?.(purchase)).toBe('done');
      expect(found(await store().lookUp(purchase.reference)).needsAcknowledgement).toBe(false);
      simulator.setHealth('failing');
      expect(await store().acknowledge?.(purchase)).toBe('unavailable');
    },
  );
});

describe('a claim that is refused', () => {
  test.each([
    ['garbage', 'x'.repeat(100_000), 'invalid_receipt'],
    ['an object without a token', '{"orderId": 1}', 'invalid_receipt'],
    ['a broken object', '{"purchaseToken": ', 'invalid_receipt'],
    ['a path instead of a token', '../../voidedpurchases', 'invalid_receipt'],
    ['a token that Google does not know', 'abc.AO-J1O', 'invalid_receipt'],
    ['an object of another app', '{"purchaseToken": "abc", "packageName": "org.other"}', 'wrong_app'],
  ])('%s', async (_what, receipt, reason) => {
    expect(await store().validate({ receipt })).toMatchObject({ outcome: 'refused', reason });
  });

  test("a purchase in another merchant's app", async () => {
    expect(await validate(buy({ app: face.registerApp().packageName }))).toMatchObject({ reason: 'invalid_receipt' });
  });

  test("a merchant's key that Google does not take", async () => {
    const wrong = store({ ...app, privateKey: newRsaKeys().privateKey });
    expect(await wrong.validate({ receipt: face.purchaseToken(buy()) })).toMatchObject({ reason: 'store_credentials' });
  });

  test.each(['failing', 'down', 'slow'] as const)('while Google is %s there is no answer yet', async (health) => {
    const purchase = buy();
    simulator.setHealth(health);
    expect(await validate(purchase, 200)).toEqual({ outcome: 'unavailable' });
  });
});

test('the story: renewed, grace, on hold, recovered, paused, cancelled, expired, refunded', async () => {
  const purchase = buy();
  const { reference, transactionId } = found(await validate(purchase));
  const now = async () => found(await store().lookUp(reference));

  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'active', expiresAt: market.periodEnd(purchase) });
  expect((await now()).transactionId).not.toBe(transactionId);

  market.setBroke(purchase.id, true);
  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'grace', graceEndsAt: market.get(purchase.id).graceEndsAt });
  later(4);
  expect((await now()).state).toBe('on_hold');
  market.setBroke(purchase.id, false);
  expect(await now()).toMatchObject({ state: 'active', expiresAt: market.periodEnd(purchase) });

  const resumesAt = new Date(market.now.getTime() + 5 * dayMs);
  market.pause(purchase.id, resumesAt);
  expect(await now()).toMatchObject({ state: 'paused', resumesAt });
  later(6);
  expect((await now()).state).toBe('active');

  market.change(purchase.id, 'yearly', 'next_period');
  expect(await now()).toMatchObject({ nextProductId: 'yearly', reference: { productId: 'monthly' } });
  market.setAutoRenew(purchase.id, false);
  expect(await now()).toMatchObject({ state: 'active', autoRenew: false });
  passEnd(market, purchase);
  expect((await now()).state).toBe('expired');
  market.refund(purchase.id);
  // The refund is in the list of voided purchases, which is read once per app and hour.
  expect((await now()).state).toBe('expired');
});

describe('a notification', () => {
  const sendingOf = (what: 'renewed' | 'refunded', purchase: SimulatedPurchase) => {
    const sending = face.notify({ id: randomUUID(), what, at: market.now, purchase });
    if (!sending) throw new Error('nothing is sent');
    const headers = { authorization: sending.headers['Authorization'] };
    return { body: Buffer.from(sending.body), headers };
  };

  test('names the purchase to look at, and itself', async () => {
    const purchase = buy();
    const { body, headers } = sendingOf('renewed', purchase);
    const read = await store().readNotification(body, headers);
    expect(read).toMatchObject({ type: 'subscriptionNotification/2', purchase: { id: face.purchaseToken(purchase) } });
    expect(read.at).toEqual(market.now);
    expect(googlePlayApp(body)).toBe(app.packageName);
    const refund = sendingOf('refunded', purchase);
    expect(await store().readNotification(refund.body, refund.headers)).toMatchObject({
      type: 'voidedPurchaseNotification',
      purchase: { id: face.purchaseToken(purchase) },
    });
  });

  test.each([
    ['without a token', () => undefined],
    ['with garbage for a token', () => 'Bearer x'],
    ['for another audience', () => `Bearer ${face.signPush(claims({ aud: 'https://other' }))}`],
    ['of another service account', () => `Bearer ${face.signPush(claims({ email: 'thief@example.org' }))}`],
    ['of an address that nobody has verified', () => `Bearer ${face.signPush(claims({ email_verified: false }))}`],
    ['of another issuer', () => `Bearer ${face.signPush(claims({ iss: 'https://example.org' }))}`],
    [
      'signed with another key',
      () => `Bearer ${sign(claims({}), newRsaKeys().privateKey, { algorithm: 'RS256', keyid: 'x' })}`,
    ],
    ['signed with a shared secret', () => `Bearer ${sign(claims({}), 'whatever')}`],
  ])('%s is refused', async (_what, authorization) => {
    const { body } = sendingOf('renewed', buy());
    const headers = { authorization: authorization() };
    await expect(store().readNotification(body, headers)).rejects.toMatchObject({ code: 'invalid_signature' });
  });

  test("of another merchant's app is refused, and so is what cannot be read", async () => {
    const { headers } = sendingOf('renewed', buy());
    const other = sendingOf('renewed', buy({ app: face.registerApp().packageName }));
    for (const body of [other.body, Buffer.from('{}'), Buffer.from('x'.repeat(100_000))])
      await expect(store().readNotification(body, headers)).rejects.toMatchObject({ code: 'invalid_signature' });
    expect(googlePlayApp(Buffer.from('x'))).toBeUndefined();
  });

  const claims = (changes: object) => ({
    iss: 'https://accounts.google.com',
    aud: app.pushAudience,
    email: app.pushServiceAccount,
    email_verified: true,
    ...changes,
  });
});

describe('testing credentials', () => {
  test('finds nothing wrong with those that Google takes', async () => {
    expect(await store().testCredentials()).toEqual([]);
  });

  test.each([
    ['no key at all', { privateKey: 'secret' }, 'private_key'],
    ['a key of another kind', { privateKey: newEcKeys().privateKey }, 'private_key'],
    ['a key that Google does not know', { privateKey: newRsaKeys().privateKey }, 'client_email'],
    ['an app that the account may not see', { packageName: 'org.other' }, 'client_email'],
  ])('says what is wrong with %s', async (_what, changes, field) => {
    const problems = await store({ ...app, ...changes }).testCredentials();
    expect(problems).toEqual([{ field, message: expect.any(String) as string }]);
  });
});
