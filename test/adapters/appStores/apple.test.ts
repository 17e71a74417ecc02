import { randomUUID } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import { createApple } from '../../../src/adapters/appStores/apple';
import { type AppStore, type StoreAnswer, type StorePurchase } from '../../../src/adapters/appStores/store';
import { AppleFace, type AppleApp } from '../../../scripts/storeSimulator/apple';
import { newEcKeys } from '../../../scripts/storeSimulator/certificates';
import { Market } from '../../../scripts/storeSimulator/market';
import { type Order } from '../../../scripts/storeSimulator/purchase';
import { startSimulator, type Simulator } from '../../../scripts/storeSimulator/simulator';
import { passEnd } from '../../support/storeMarket';

const dayMs = 86_400_000;

const market = new Market();
const face = new AppleFace(market);
let simulator: Simulator;
let app: AppleApp;

beforeAll(async () => {
  simulator = await startSimulator(market, [face]);
  app = face.registerApp();
});
afterAll(() => simulator.stop());
afterEach(() => simulator.setHealth('well'));

const settings = (timeoutMs = 20_000) => ({
  rootCertificates: [face.rootCertificate],
  apiBase: simulator.url,
  timeoutMs,
});
const store = (credentials: AppleApp = app, timeoutMs?: number): AppStore =>
  createApple(credentials, settings(timeoutMs));

const buy = (of: Partial<Order> = {}) =>
  market.buy({ store: 'apple', app: app.bundleId, productId: 'monthly', kind: 'subscription', ...of });

function found(answer: StoreAnswer): StorePurchase {
  if (answer.outcome !== 'found') throw new Error(JSON.stringify(answer));
  return answer.purchase;
}

const later = (days: number) => market.advance(new Date(market.now.getTime() + days * dayMs));

describe('a claim', () => {
  test('a signed transaction, and a transaction id, name the same purchase', async () => {
    const accountUuid = randomUUID();
    const purchase = buy({ accountUuid, countryIso: 'MK', currency: 'JPY', amountMinor: 1_200 });
    const bySignature = found(await store().validate({ receipt: face.signedTransaction(purchase) }));
    const byId = found(await store().validate({ receipt: face.transactionId(purchase) }));
    expect(byId).toEqual(bySignature);
    expect(byId).toMatchObject({
      reference: { id: face.transactionId(purchase), environment: 'production', productId: 'monthly' },
      kind: 'subscription',
      state: 'active',
      autoRenew: true,
      isTrial: false,
      price: { amount: 1_200, currency: 'JPY' },
      accountUuid,
      countryIso: 'MK',
      expiresAt: market.periodEnd(purchase),
      revokedAt: null,
    });
  });

  test('of a sandbox purchase says so, by its signature or by its id', async () => {
    const purchase = buy({ environment: 'sandbox' });
    for (const receipt of [face.signedTransaction(purchase), face.transactionId(purchase)])
      expect(found(await store().validate({ receipt })).reference.environment).toBe('sandbox');
  });

  test('the purchase object of an app names it too', async () => {
    const purchase = buy();
    const jws = face.signedTransaction(purchase);
    for (const held of [
      { transactionReceipt: jws },
      { jwsRepresentationIos: jws, transactionId: '1' },
      { transactionId: face.transactionId(purchase) },
    ])
      expect(found(await store().validate({ receipt: JSON.stringify(held) })).transactionId).toBe(
        face.transactionId(purchase),
      );
    for (const receipt of ['{}', '{"transactionId":1}', '{nothing'])
      expect(await store().validate({ receipt })).toMatchObject({ outcome: 'refused', reason: 'invalid_receipt' });
  });

  test('of a receipt of the old kind is read for its id only', async () => {
    const inner = Buffer.from(`{"transaction-id" = "${face.transactionId(buy())}";}`).toString('base64');
    const receipt = Buffer.from(`{"purchase-info" = "${inner}";}`).toString('base64');
    expect(found(await store().validate({ receipt })).state).toBe('active');
  });

  test('of a thing that is bought once never ends, until it is given back', async () => {
    const purchase = buy({ kind: 'one_time', productId: 'film' });
    const claim = { receipt: face.signedTransaction(purchase) };
    expect(found(await store().validate(claim))).toMatchObject({ kind: 'one_time', state: 'active', expiresAt: null });
    market.refund(purchase.id);
    expect(found(await store().validate(claim))).toMatchObject({ state: 'revoked', revokedAt: market.now });
  });

  test('of a trial is free', async () => {
    const purchase = buy({ trial: { quantity: 7, period: 'day' } });
    const answer = await store().validate({ receipt: face.transactionId(purchase) });
    expect(found(answer)).toMatchObject({ isTrial: true, price: { amount: 0 } });
  });
});

describe('a claim that is refused', () => {
  const changedPayload = (jws: string, changes: object) => {
    const [header, , signature] = jws.split('.');
    return [header, Buffer.from(JSON.stringify({ ...payload(), ...changes })).toString('base64url'), signature].join(
      '.',
    );
  };
  const payload = () =>
    JSON.parse(Buffer.from(face.signedTransaction(buy()).split('.')[1] ?? '', 'base64url').toString()) as object;
  const headerOf = (jws: string) => JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as object;

  test.each([
    ['garbage', () => 'x'.repeat(100_000), 'invalid_receipt'],
    ['an id that Apple does not know', () => '2999999999999999', 'invalid_receipt'],
    ['a transaction that was changed', () => changed(face.signedTransaction(buy())), 'invalid_receipt'],
    [
      "one signed with somebody else's key beside Apple's certificates",
      () =>
        sign(payload(), newEcKeys().privateKey, {
          algorithm: 'ES256',
          header: headerOf(face.signedTransaction(buy())) as never,
        }),
      'invalid_receipt',
    ],
    [
      'one signed with a shared secret',
      () => sign({ ...payload(), environment: 'Production' }, 'whatever', { algorithm: 'HS256' }),
      'invalid_receipt',
    ],
    [
      'one of Xcode, which nobody signs',
      () => sign({ ...payload(), environment: 'Xcode' }, 'whatever'),
      'wrong_environment',
    ],
    [
      'one of local testing, which nobody signs',
      () => sign({ ...payload(), environment: 'LocalTesting' }, 'whatever'),
      'wrong_environment',
    ],
    ['one that was signed after the certificate had run out', () => face.signWithExpired(payload()), 'invalid_receipt'],
    [
      'one of production that calls itself of the sandbox',
      () => changedPayload(face.signedTransaction(buy()), { environment: 'Sandbox' }),
      'invalid_receipt',
    ],
    ['one of another app', () => face.signAnything({ ...payload(), bundleId: 'org.other' }), 'wrong_app'],
  ])('%s', async (_what, receipt, reason) => {
    expect(await store().validate({ receipt: receipt() })).toMatchObject({ outcome: 'refused', reason });
  });

  test("a purchase in another merchant's app", async () => {
    const other = face.registerApp();
    const purchase = buy({ app: other.bundleId });
    expect(await store().validate({ receipt: face.signedTransaction(purchase) })).toMatchObject({
      reason: 'wrong_app',
    });
    expect(await store().validate({ receipt: face.transactionId(purchase) })).toMatchObject({
      reason: 'invalid_receipt',
    });
  });

  test("a root that is not the store's", async () => {
    const stranger = new AppleFace(market);
    const strict = createApple(app, { ...settings(), rootCertificates: [stranger.rootCertificate] });
    const claim = { receipt: face.signedTransaction(buy()) };
    expect(await strict.validate(claim)).toMatchObject({ outcome: 'refused', reason: 'invalid_receipt' });
  });

  test("a merchant's key that Apple does not take", async () => {
    const wrong = { ...app, privateKey: newEcKeys().privateKey };
    expect(await store(wrong).validate({ receipt: face.transactionId(buy()) })).toMatchObject({
      outcome: 'refused',
      reason: 'store_credentials',
    });
  });

  test.each(['failing', 'down', 'slow'] as const)('while Apple is %s there is no answer yet', async (health) => {
    const claim = { receipt: face.transactionId(buy()) };
    simulator.setHealth(health);
    expect(await store(app, 200).validate(claim)).toEqual({ outcome: 'unavailable' });
  });
});

test('the story: renewed, grace, on hold, recovered, cancelled, expired, refunded', async () => {
  const purchase = buy();
  const reference = found(await store().validate({ receipt: face.transactionId(purchase) })).reference;
  const now = async () => found(await store().lookUp(reference));
  const first = await now();

  passEnd(market, purchase);
  expect(await now()).toMatchObject({
    state: 'active',
    reference: { id: reference.id },
    expiresAt: market.periodEnd(purchase),
  });
  expect((await now()).transactionId).not.toBe(first.transactionId);

  market.setBroke(purchase.id, true);
  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'grace', graceEndsAt: market.get(purchase.id).graceEndsAt });
  later(4);
  expect(await now()).toMatchObject({ state: 'on_hold', autoRenew: true });
  market.setBroke(purchase.id, false);
  expect(await now()).toMatchObject({ state: 'active', expiresAt: market.periodEnd(purchase), graceEndsAt: null });

  market.setAutoRenew(purchase.id, false);
  expect(await now()).toMatchObject({ state: 'active', autoRenew: false });
  passEnd(market, purchase);
  expect(await now()).toMatchObject({ state: 'expired' });
  market.refund(purchase.id);
  expect(await now()).toMatchObject({ state: 'revoked', revokedAt: market.now });
});

describe('a notification', () => {
  const payloadOf = (jws: string) => JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as object;
  const bodyOf = (event: Parameters<AppleFace['notify']>[0]) => Buffer.from(face.notify(event)?.body ?? '');
  const event = (what: 'renewed' | 'refunded' = 'renewed', of: Partial<Order> = {}) => ({
    id: randomUUID(),
    what,
    at: market.now,
    purchase: buy(of),
  });

  test('names the purchase to look at, and itself', async () => {
    const happened = event();
    expect(await store().readNotification(bodyOf(happened), {})).toEqual({
      id: happened.id,
      type: 'DID_RENEW',
      at: market.now,
      purchase: {
        id: face.transactionId(happened.purchase),
        transactionId: face.transactionId(happened.purchase),
        environment: 'production',
        productId: 'monthly',
      },
    });
    expect(await store().readNotification(bodyOf(event('refunded', { environment: 'sandbox' })), {})).toMatchObject({
      type: 'REFUND',
      purchase: { environment: 'sandbox' },
    });
  });

  test("that is forged, changed, or of another merchant's app is refused", async () => {
    const body = bodyOf(event());
    const { signedPayload } = JSON.parse(body.toString()) as { signedPayload: string };
    const other = face.registerApp();
    const bodies = [
      Buffer.from(''),
      Buffer.from('{}'),
      Buffer.from('x'.repeat(100_000)),
      Buffer.from(JSON.stringify({ signedPayload: changed(signedPayload) })),
      Buffer.from(JSON.stringify({ signedPayload: face.signWithExpired(payloadOf(signedPayload)) })),
      Buffer.from(JSON.stringify({ signedPayload: sign({ data: { environment: 'Production' } }, 'whatever') })),
      bodyOf(event('renewed', { app: other.bundleId })),
    ];
    for (const forged of bodies)
      await expect(store().readNotification(forged, {})).rejects.toMatchObject({ code: 'invalid_signature' });
  });
});

describe('testing credentials', () => {
  test('finds nothing wrong with those that Apple takes', async () => {
    expect(await store().testCredentials()).toEqual([]);
  });

  test.each([
    ['no key at all', { privateKey: 'secret' }],
    ['a key that Apple does not know', { privateKey: newEcKeys().privateKey }],
    ['the issuer of somebody else', { issuerId: randomUUID() }],
  ])('says what is wrong with %s, and repeats no secret', async (_what, changes) => {
    const wrong = { ...app, ...changes };
    const problems = await store(wrong).testCredentials();
    expect(problems).toEqual([{ field: 'private_key', message: expect.any(String) as string }]);
    expect(JSON.stringify(problems)).not.toContain(wrong.privateKey);
  });
});

/** One letter of the payload is changed. */
function changed(jws: string): string {
  const [header, payload = '', signature] = jws.split('.');
  const fields = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const other = Buffer.from(JSON.stringify({ ...fields, productId: 'yearly', version: '3.0' })).toString('base64url');
  return [header, other, signature].join('.');
}
