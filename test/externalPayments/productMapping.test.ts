import { randomUUID } from 'node:crypto';
import { type StoreName } from '../../src/adapters/appStores/store';
import { call } from '../support/client';
import { createConsumer, createFee, createItem } from '../support/factories';
import { type TestApp } from '../support/startApp';
import {
  buy,
  createQuietShop,
  mayWatch,
  present,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';

/** A store's product opens only a fee that it is mapped to, and only a fee of the same kind. */

const storeNames: StoreName[] = ['apple', 'google-play', 'amazon', 'roku'];
const providers: Record<StoreName, number> = { apple: 3, 'google-play': 4, amazon: 5, roku: 6 };

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

const productOf = (store: StoreName, externalId = `product.${randomUUID()}`) => ({
  external_fees: [{ payment_provider_id: providers[store], external_id: externalId }],
});

const setSettings = (fields: Record<string, unknown>) => call(app, 'PUT', '/stores/settings', fields, shop.merchant);

const feeOf = (fields: Record<string, unknown>) => createFee(app, shop.merchant, shop.item.id, fields);

const retire = (feeId: number) => call(app, 'DELETE', `/items/access-fees/${feeId}`, undefined, shop.merchant);

const yearOnce = { access_type: 'ppv', period: 'year', amount: '299' };
const yearly = { access_type: 'subscription', period: 'year', amount: '499' };

async function opens(purchase: ReturnType<typeof buy>, fields: Record<string, unknown>) {
  const { state, reason } = await settled(shop, await present(shop, purchase, fields));
  expect(await mayWatch(shop, shop.consumer)).toBe(state === 'succeeded');
  return reason ?? state;
}

const feesBought = async () => {
  const text = 'SELECT access_fee_id, amount_minor, currency FROM store_payments WHERE account_id = $1 ORDER BY id';
  return (await app.pool.query<object>(text, [shop.consumer.id])).rows;
};

describe('external.payment.failed unknown_product: a product that is not mapped to a fee, whatever the app sends', () => {
  const cases = storeNames.flatMap((store) => [
    [store, 'a subscription, for a subscription', 'subscription', yearly] as const,
    [store, 'a thing bought once, for a subscription', 'one_time', yearly] as const,
    [store, 'a thing bought once, for access bought once', 'one_time', yearOnce] as const,
  ]);

  test.each(cases)('of %s: %s', async (store, _, kind, terms) => {
    const fee = await feeOf(terms);
    const purchase = buy(shop, store, { kind, productId: 'coins.pack', amountMinor: 99 });
    const claim = { product_name: undefined, access_fee_id: fee.id };
    expect(await opens(purchase, claim)).toBe('unknown_product');
    expect(await feesBought()).toEqual([]);
  });
});

describe('external.payment.success: a mapped product opens its own fee', () => {
  test.each(storeNames)('of %s: even if the app names a more expensive fee', async (store) => {
    const product = productOf(store);
    const [name] = product.external_fees.map(({ external_id }) => external_id);
    const cheap = await feeOf(product);
    const dear = await feeOf(yearly);
    expect(await opens(buy(shop, store, { productId: name ?? '' }), { access_fee_id: dear.id })).toBe('succeeded');
    expect(await feesBought()).toMatchObject([{ access_fee_id: cheap.id }]);
  });

  test.each(storeNames)('of %s: its name is <item>_<access fee>, and the app names the fee', async (store) => {
    expect(await opens(buy(shop, store), { product_name: undefined, access_fee_id: shop.fee.id })).toBe('succeeded');
  });

  test('of several fees with one name, the one that the app names', async () => {
    const external_id = `gold.${randomUUID()}`;
    await feeOf({ external_fees: [{ payment_provider_id: 20, external_id }] });
    const chosen = await feeOf({ external_fees: [{ payment_provider_id: 21, external_id }] });
    const purchase = () => buy(shop, 'roku', { productId: external_id });
    expect(await opens(purchase(), { product_name: external_id })).toBe('unknown_product');
    expect(await opens(purchase(), { access_fee_id: chosen.id })).toBe('succeeded');
    expect(await feesBought()).toMatchObject([{ access_fee_id: chosen.id }]);
  });

  test('of a fee whose price has changed: the fee that replaced it', async () => {
    await settled(shop, await present(shop, buy(shop, 'apple')));
    const path = `/v2/items/${shop.item.id}/access-fees/${shop.fee.id}`;
    const changed = {
      access_type: 'subscription',
      quantity: 1,
      period: 'month',
      amount: '12.99',
      currency: 'EUR',
      description: 'Monthly pass',
    };
    const { body } = await call<{ id: number }>(app, 'PUT', path, changed, shop.merchant);
    expect(body.id).not.toBe(shop.fee.id);
    expect(await opens(buy(shop, 'apple'), {})).toBe('succeeded');
    expect(await feesBought()).toMatchObject([{ access_fee_id: shop.fee.id }, { access_fee_id: body.id }]);
  });
});

describe('external.payment.failed', () => {
  test.each(storeNames)(
    'wrong_kind: of %s, a thing bought once whose name is that of a subscription',
    async (store) => {
      expect(await opens(buy(shop, store, { kind: 'one_time' }), {})).toBe('wrong_kind');
    },
  );

  test('wrong_kind: a subscription whose product is mapped to a fee for one-time access', async () => {
    const fee = await feeOf(yearOnce);
    expect(await opens(buy(shop, 'apple', { productId: `${shop.item.id}_${fee.id}` }), {})).toBe('wrong_kind');
  });

  test('unknown_product: a product that is mapped for another store', async () => {
    const external_id = `gold.${randomUUID()}`;
    const fee = await feeOf(productOf('google-play', external_id));
    expect(await opens(buy(shop, 'apple', { productId: external_id }), { access_fee_id: fee.id })).toBe(
      'unknown_product',
    );
  });

  test.each(['external_fees', '<item>_<access fee>'])(
    'unknown_product: a product whose fee is retired, by %s, opens neither that fee nor another',
    async (by) => {
      await setSettings({ unmapped_products: true });
      const externalId = `gold.${randomUUID()}`;
      const fee = await feeOf(productOf('apple', externalId));
      const productId = by === 'external_fees' ? externalId : `${shop.item.id}_${fee.id}`;
      await retire(fee.id);
      const purchase = () => buy(shop, 'apple', { productId, amountMinor: 99_900 });
      expect(await opens(purchase(), {})).toBe('unknown_product');
      expect(await opens(purchase(), { access_fee_id: fee.id })).toBe('unknown_product');
      expect(await opens(purchase(), { access_fee_id: shop.fee.id })).toBe('unknown_product');
    },
  );
});

describe('unmapped_products is on', () => {
  beforeEach(() => setSettings({ unmapped_products: true }));

  const claim = () => ({ product_name: undefined, access_fee_id: shop.fee.id });

  test('external.payment.success: a fee of the same kind that does not cost more', async () => {
    const purchase = buy(shop, 'apple', { productId: 'monthly', amountMinor: 1099 });
    expect(await opens(purchase, claim())).toBe('succeeded');
    expect(await feesBought()).toEqual([{ access_fee_id: shop.fee.id, amount_minor: 1099, currency: 'EUR' }]);
  });

  test.each([
    ['of a lower price', 'apple', { amountMinor: 998 }],
    ['in another currency', 'apple', { currency: 'USD', amountMinor: 99_900 }],
    ['of another kind', 'apple', { kind: 'one_time', amountMinor: 99_900 }],
    ['of a price that the store does not tell', 'amazon', {}],
  ] as const)('external.payment.failed unknown_product: a product %s', async (_, store, order) => {
    expect(await opens(buy(shop, store, { productId: 'monthly', ...order }), claim())).toBe('unknown_product');
  });

  test('external.payment.failed unknown_product: a fee that has a product of its own', async () => {
    const fee = await feeOf(productOf('apple'));
    const purchase = buy(shop, 'apple', { productId: 'monthly' });
    expect(await opens(purchase, { access_fee_id: fee.id })).toBe('unknown_product');
  });

  test('external.payment.failed unknown_product: a fee of another item, below its price', async () => {
    const dear = await createFee(app, shop.merchant, (await createItem(app, shop.merchant)).id, yearly);
    const purchase = buy(shop, 'apple', { productId: 'monthly' });
    expect(await opens(purchase, { access_fee_id: dear.id })).toBe('unknown_product');
  });
});

describe('a purchase that the account already has is restored, whatever happened to its fee', () => {
  test.each(['external_fees', '<item>_<access fee>'])(
    'external.payment.success: by the name of a retired fee, given by %s',
    async (by) => {
      const externalId = `gold.${randomUUID()}`;
      const fee = await feeOf(productOf('apple', externalId));
      const productId = by === 'external_fees' ? externalId : `${shop.item.id}_${fee.id}`;
      const purchase = buy(shop, 'apple', { productId });
      expect(await opens(purchase, {})).toBe('succeeded');
      await retire(fee.id);
      // Another transaction of the same purchase makes another claim.
      stores.simulator.market.extend(purchase.id, 1);
      expect(await opens(purchase, { product_name: productId })).toBe('succeeded');
      expect(await feesBought()).toMatchObject([{ access_fee_id: fee.id }]);
    },
  );

  test('external.payment.failed already_claimed: another account presents it, even if the fee is retired', async () => {
    const purchase = buy(shop, 'apple');
    expect(await opens(purchase, {})).toBe('succeeded');
    await retire(shop.fee.id);
    const other = await createConsumer(app, shop.merchant);
    const { reason } = await settled(shop, await present(shop, purchase, {}, other));
    expect(reason).toBe('already_claimed');
  });
});

test('access.revoked: the store changes the subscription to a product that is not mapped to a fee', async () => {
  const purchase = buy(shop, 'apple');
  expect(await opens(purchase, {})).toBe('succeeded');
  stores.simulator.market.change(purchase.id, 'cheap.plan', 'now');
  await settled(shop, await present(shop, purchase));
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  stores.simulator.market.change(purchase.id, `${shop.item.id}_${shop.fee.id}`, 'now');
  await settled(shop, await present(shop, purchase));
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
});

describe('the booked price', () => {
  interface Booked {
    collection: { charged_amount?: number; amount?: number; currency_iso?: string; is_amount_assumed: boolean }[];
  }

  const histories = async () => {
    const { merchant, consumer } = shop;
    const [own, all, report, money] = await Promise.all([
      call<Booked>(app, 'GET', '/v2/accounting/payment-history', undefined, consumer),
      call<Booked>(app, 'GET', '/payments/transactions', undefined, merchant),
      call<Booked>(app, 'GET', '/accounting/report/transactions', undefined, merchant),
      call<Booked>(app, 'GET', '/reporting/transactions', undefined, merchant),
    ]);
    return [own, all, report, money].map(({ body }) => body.collection.map((row) => row.is_amount_assumed));
  };

  test('is the one that the store reports, in its currency', async () => {
    await opens(buy(shop, 'apple', { amountMinor: 1249, currency: 'USD' }), {});
    expect(await feesBought()).toMatchObject([{ amount_minor: 1249, currency: 'USD' }]);
    expect(await histories()).toEqual([[false], [false], [false], [false]]);
  });

  test('is the price of the mapped fee if the store reports none, marked as assumed in history and reports', async () => {
    await opens(buy(shop, 'amazon', { amountMinor: 1249, currency: 'USD' }), {});
    expect(await feesBought()).toMatchObject([{ amount_minor: 999, currency: 'EUR' }]);
    expect(await histories()).toEqual([[true], [true], [true], [true]]);
  });
});
