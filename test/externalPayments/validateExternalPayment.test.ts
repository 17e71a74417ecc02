import { randomUUID } from 'node:crypto';
import { type StoreName } from '../../src/adapters/appStores/store';
import { call } from '../support/client';
import { createConsumer, createFee, createItem } from '../support/factories';
import { type TestApp } from '../support/startApp';
import {
  type Accepted,
  buy,
  claimRow,
  createQuietShop,
  createStoreShop,
  eventsOf,
  isQuiet,
  mayWatch,
  present,
  receiptOf,
  setStore,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { connectTemporal } from '../support/temporalClient';
import { until } from '../support/until';

const storeNames: StoreName[] = ['apple', 'google-play', 'amazon', 'roku'];

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;
let shop: StoreShop;

beforeAll(async () => {
  ({ app, stores, stop } = await startStoreApp());
});
afterAll(() => stop());
beforeEach(async () => {
  shop = await createQuietShop(app, stores);
});

const typesOf = async (person = shop.consumer) => (await eventsOf(shop, person)).map(({ type }) => type);

const purchasesOf = async (person = shop.consumer) =>
  (await app.pool.query<object>('SELECT * FROM store_purchases WHERE account_id = $1', [person.id])).rows;

describe('202: a purchase opens its item, then the events tell of it', () => {
  test.each(storeNames)('a subscription in %s', async (store) => {
    const reply = await present(shop, buy(shop, store));
    expect(reply).toMatchObject({
      status: 202,
      body: { code: 202, message: 'Submitted for validation', external_payment_id: expect.any(String) as unknown },
    });
    expect(await settled(shop, reply)).toMatchObject({ state: 'succeeded', sealed_claim: null });
    expect(await mayWatch(shop, shop.consumer)).toBe(true);
    const events = await eventsOf(shop, shop.consumer);
    expect(events.map(({ type }) => type)).toEqual([
      'access.granted',
      'external.payment.success',
      'external.subscribe.success',
      'subscribe.success',
    ]);
    expect(events[1]?.resource).toMatchObject({
      code: 200,
      status: 'success',
      item_id: shop.item.id,
      access_fee_id: shop.fee.id,
      amount: '9.99',
      currency_iso: 'EUR',
      payment_method: store,
      external_payment_id: reply.body.external_payment_id,
    });
  });

  test.each(storeNames)('a thing bought once in %s', async (store) => {
    const fee = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv', period: 'year' });
    const reply = await present(shop, buy(shop, store, { kind: 'one_time', productId: `${shop.item.id}_${fee.id}` }));
    await settled(shop, reply);
    expect(await mayWatch(shop, shop.consumer)).toBe(true);
    expect(await typesOf()).toEqual(['access.granted', 'external.payment.success']);
  });

  test('without /v2, and by the old name of Google Play', async () => {
    const purchase = buy(shop, 'google-play');
    const body = { ...receiptOf(shop.stores, purchase), item_id: shop.item.id, access_fee_id: shop.fee.id };
    const reply = await call<Accepted>(app, 'POST', '/external-payments/android/validate', body, shop.consumer);
    expect(reply.status).toBe(202);
    expect((await settled(shop, reply)).state).toBe('succeeded');
  });

  test('a test purchase, which counts in the test environment, and is written down as one', async () => {
    const reply = await present(shop, buy(shop, 'google-play', { environment: 'sandbox' }));
    expect((await settled(shop, reply)).state).toBe('succeeded');
    expect(await purchasesOf()).toMatchObject([{ environment: 'sandbox' }]);
  });

  test('a trial counts as the one of the item', async () => {
    const purchase = buy(shop, 'apple', { trial: { quantity: 7, period: 'day' } });
    await settled(shop, await present(shop, purchase));
    const used = await call(app, 'GET', `/items/used-trial-period/${shop.item.id}`, undefined, shop.consumer);
    expect(used.status).toBe(200);
  });

  test('Google is told that the buyer is served', async () => {
    const purchase = buy(shop, 'google-play');
    await settled(shop, await present(shop, purchase));
    await until(() => stores.simulator.market.get(purchase.id).acknowledgedAt !== null);
  });
});

describe('202: which fee a product is', () => {
  test('the one that names it among its external fees, whatever the app says', async () => {
    const product = `gold.${randomUUID()}`;
    const item = await createItem(app, shop.merchant);
    const external_fees = [{ payment_provider_id: 3, external_id: product }];
    const fee = await createFee(app, shop.merchant, item.id, { external_fees });
    const claim = { access_fee_id: shop.fee.id };
    await settled(shop, await present(shop, buy(shop, 'apple', { productId: product }), claim));
    expect(await purchasesOf()).toMatchObject([{ item_id: item.id, access_fee_id: fee.id }]);
  });

  test('external.payment.failed: an unknown product', async () => {
    const reply = await present(shop, buy(shop, 'amazon', { productId: 'nothing.of.ours' }));
    expect(await settled(shop, reply)).toMatchObject({ state: 'failed', reason: 'unknown_product' });
  });

  test('external.payment.failed: a product that another merchant sells', async () => {
    const other = await createStoreShop(app, stores);
    const productId = `${other.item.id}_${other.fee.id}`;
    const reply = await present(shop, buy(shop, 'apple', { productId }));
    expect(await settled(shop, reply)).toMatchObject({ state: 'failed', reason: 'unknown_product' });
  });
});

describe('presented again', () => {
  test('202: by the same account it is the same claim, answered once more, and nothing is doubled', async () => {
    const purchase = buy(shop, 'google-play');
    const first = await present(shop, purchase);
    await settled(shop, first);
    const again = await present(shop, purchase);
    expect(again.body).toEqual(first.body);
    const row = await until(async () => {
      const found = await claimRow(shop, again.body.external_payment_id);
      return found.state === 'succeeded' && found.attempt === 2 && found;
    });
    expect(row.state).toBe('succeeded');
    expect(await purchasesOf()).toHaveLength(1);
    const counted = `SELECT (SELECT count(*)::int FROM accesses WHERE account_id = $1) AS accesses,
      (SELECT count(*)::int FROM store_payments WHERE account_id = $1) AS payments`;
    expect((await app.pool.query(counted, [shop.consumer.id])).rows).toEqual([{ accesses: 1, payments: 1 }]);
    expect((await typesOf()).filter((type) => type === 'access.granted')).toHaveLength(1);
  });

  test('external.payment.failed: by another account it is already claimed, and stays the first one’s', async () => {
    const purchase = buy(shop, 'apple');
    await settled(shop, await present(shop, purchase));
    const other = await createConsumer(app, shop.merchant);
    const reply = await present(shop, purchase, {}, other);
    expect(await settled(shop, reply)).toMatchObject({ state: 'failed', reason: 'already_claimed' });
    const events = await eventsOf(shop, other);
    expect(events.map(({ type }) => type)).toEqual(['external.payment.failed', 'subscribe.failed']);
    expect(events[0]?.resource).toMatchObject({
      code: 422,
      reason: 'already_claimed',
      message: 'This purchase belongs to another account.',
      explain: 'This purchase belongs to another account.',
    });
    expect(await mayWatch(shop, other)).toBe(false);
    expect(await mayWatch(shop, shop.consumer)).toBe(true);
  });

  test('external.payment.failed: by a consumer of another merchant with the same app', async () => {
    const purchase = buy(shop, 'roku');
    await settled(shop, await present(shop, purchase));
    const twin = await createStoreShop(app, stores, {}, shop.apps);
    await call(app, 'PUT', '/stores/settings', { transfer_policy: 'transfer' }, twin.merchant);
    const reply = await present(twin, purchase, { product_name: undefined, access_fee_id: twin.fee.id });
    expect((await settled(twin, reply)).state).toBe('failed');
  });

  test('external.payment.failed: where the store knows that another account of the merchant bought it', async () => {
    const other = await createConsumer(app, shop.merchant);
    const reply = await present(shop, buy(shop, 'apple', { accountUuid: other.uuid }));
    expect(await settled(shop, reply)).toMatchObject({ state: 'failed', reason: 'already_claimed' });
    expect(await purchasesOf()).toEqual([]);
  });

  test.each(['keep', 'transfer_if_inactive', 'transfer'] as const)('by another account under %s', async (policy) => {
    await call(app, 'PUT', '/stores/settings', { transfer_policy: policy }, shop.merchant);
    const purchase = buy(shop, 'apple');
    await settled(shop, await present(shop, purchase));
    const other = await createConsumer(app, shop.merchant);
    const { state } = await settled(shop, await present(shop, purchase, {}, other));
    expect(state).toBe(policy === 'transfer' ? 'succeeded' : 'failed');
    expect(await mayWatch(shop, other)).toBe(policy === 'transfer');
    expect(await mayWatch(shop, shop.consumer)).toBe(policy !== 'transfer');
    if (policy === 'transfer') expect((await typesOf()).at(-1)).toBe('access.revoked');
  });

  test('external.payment.success: by another account, once the first one’s purchase was over', async () => {
    await call(app, 'PUT', '/stores/settings', { transfer_policy: 'transfer_if_inactive' }, shop.merchant);
    const purchase = buy(shop, 'apple');
    await settled(shop, await present(shop, purchase));
    stores.simulator.market.refund(purchase.id);
    await settled(shop, await present(shop, purchase));
    expect((await typesOf()).at(-3)).toBe('subscribe.expired');
    const temporal = await connectTemporal();
    const [{ token }] = (await purchasesOf()) as [{ token: string }];
    await until(() => isQuiet(app, temporal, token));
    await temporal.close();
    stores.simulator.market.reverseRefund(purchase.id);
    const other = await createConsumer(app, shop.merchant);
    expect((await settled(shop, await present(shop, purchase, {}, other))).state).toBe('succeeded');
    expect(await mayWatch(shop, other)).toBe(true);
    expect(await mayWatch(shop, shop.consumer)).toBe(false);
    expect(await purchasesOf(other)).toHaveLength(1);
  });

  test('202: by twenty accounts at once, exactly one has it', async () => {
    const purchase = buy(shop, 'google-play');
    const people = await Promise.all(Array.from({ length: 20 }, () => createConsumer(app, shop.merchant)));
    const replies = await Promise.all(people.map((person) => present(shop, purchase, {}, person)));
    const rows = await Promise.all(replies.map((reply) => settled(shop, reply)));
    expect(rows.filter(({ state }) => state === 'succeeded')).toHaveLength(1);
    const { rows: accesses } = await app.pool.query('SELECT 1 FROM accesses WHERE item_id = $1', [shop.item.id]);
    expect(accesses).toHaveLength(1);
  });
});

describe('external.payment.failed: what opens nothing', () => {
  test.each(storeNames)('of %s: garbage, and what the store does not know', async (store) => {
    for (const receipt of ['x'.repeat(90_000), 'nothing', '12345', '\u0001\u0002'])
      for (const fields of [{ receipt, access_fee_id: shop.fee.id, amazon_user_id: 'somebody' }]) {
        const path = `/external-payments/${store}/validate`;
        const reply = await call<Accepted>(app, 'POST', path, fields, shop.consumer);
        expect(reply.status).toBe(202);
        expect(await settled(shop, reply)).toMatchObject({ state: 'failed', reason: 'invalid_receipt' });
      }
    expect(await mayWatch(shop, shop.consumer)).toBe(false);
  });

  test('413 body_too_large: 100 kB of garbage and more', async () => {
    const body = { receipt: 'x'.repeat(110_000), access_fee_id: shop.fee.id };
    const reply = await call(app, 'POST', '/external-payments/apple/validate', body, shop.consumer);
    expect(reply.status).toBe(413);
  });

  test.each(storeNames)('a purchase in another merchant’s app of %s', async (store) => {
    const other = await createStoreShop(app, stores);
    const productId = `${shop.item.id}_${shop.fee.id}`;
    const reply = await present(shop, buy(other, store, { productId }));
    const row = await settled(shop, reply);
    expect(row.state).toBe('failed');
    expect(['wrong_app', 'invalid_receipt', 'store_credentials']).toContain(row.reason);
  });

  test('a store that the merchant has not set up', async () => {
    await call(app, 'DELETE', '/stores/roku', undefined, shop.merchant);
    const reply = await present(shop, buy(shop, 'roku'));
    expect(await settled(shop, reply)).toMatchObject({ state: 'failed', reason: 'store_credentials' });
    await setStore(app, shop.merchant, shop.apps, 'roku');
  });

  test('a purchase that has ended', async () => {
    const purchase = buy(shop, 'apple');
    stores.simulator.market.refund(purchase.id);
    const reply = await present(shop, purchase);
    expect((await settled(shop, reply)).state).toBe('failed');
    expect(await typesOf()).toEqual(['external.payment.failed', 'subscribe.failed']);
  });
});

describe('what is missing or a stranger’s', () => {
  test('400 missing_parameter: neither fee nor product; and no user of Amazon', async () => {
    const validate = (store: string, fields: object) =>
      call(app, 'POST', `/external-payments/${store}/validate`, { ...fields }, shop.consumer);
    expect(await validate('apple', { receipt: '1' })).toMatchObject({
      status: 400,
      body: { errors: { access_fee_id: 'The access_fee_id must not be empty.' } },
    });
    expect(await validate('amazon', { receipt: '1', product_name: 'x' })).toMatchObject({
      status: 400,
      body: { errors: { amazon_user_id: 'The amazon_user_id must not be empty.' } },
    });
  });

  test('404 access_fee_not_found, and 404 item_not_found', async () => {
    const other = await createStoreShop(app, stores);
    const validate = (fields: object) =>
      call(app, 'POST', '/external-payments/apple/validate', { receipt: '1', ...fields }, shop.consumer);
    expect(await validate({ access_fee_id: other.fee.id })).toMatchObject({
      status: 404,
      body: { error: 'access_fee_not_found' },
    });
    expect(await validate({ item_id: other.item.id, access_fee_id: shop.fee.id })).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
  });

  test('404 item_not_found: an item that is another merchant’s', async () => {
    const other = await createStoreShop(app, stores);
    const fields = { receipt: '1', item_id: other.item.id, access_fee_id: shop.fee.id };
    expect((await call(app, 'POST', '/external-payments/apple/validate', fields, shop.consumer)).status).toBe(404);
  });

  test('422 invalid_input: a store that is none', async () => {
    const reply = await call(app, 'POST', '/external-payments/steam/validate', { receipt: '1' }, shop.consumer);
    expect(reply.status).toBeGreaterThanOrEqual(404);
    expect(reply.status).toBeLessThanOrEqual(422);
  });
});

test('external.payment.success: a store that is away for a while, then not', async () => {
  stores.simulator.setHealth('down');
  const reply = await present(shop, buy(shop, 'amazon'));
  stores.simulator.setHealth('well');
  expect((await settled(shop, reply)).state).toBe('succeeded');
});
