import { type Fee, idsOf, sell } from '../../support/catalogue';
import { call } from '../../support/client';
import {
  createConsumer,
  createFee,
  createItem,
  createMerchant,
  createShop,
  purchase,
  type Shop,
  subscribe,
} from '../../support/factories';
import { type ErrorBody, send } from '../../support/raw';
import { createCountrySet } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const monthly = {
  access_type: 'subscription',
  quantity: 1,
  period: 'month',
  amount: '9.99',
  currency: 'EUR',
  description: 'Monthly pass',
};

function update<Body = Fee>({ merchant, item, fee }: Omit<Shop, 'consumer'>, changes: object = {}) {
  const path = `/v2/items/${item.id}/access-fees/${fee.id}`;
  return call<Body>(app, 'PUT', path, { ...monthly, ...changes }, merchant);
}

const listed = async ({ item }: Pick<Shop, 'item'>) =>
  (await call<Fee[]>(app, 'GET', `/v2/items/${item.id}/access-fees`)).body;

test('201: a fee that nobody has bought changes in everything, under its id', async () => {
  const shop = await createShop(app, { setup_fee_amount: 1, trial_period_quantity: 7, trial_period_period: 'day' });
  const changes = { amount: 1000, currency: 'JPY', access_type: 'ppv', quantity: 2, period: 'day', description: 'Two' };
  const { status, body } = await update(shop, changes);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    id: shop.fee.id,
    amount: 1000,
    currency: 'JPY',
    description: 'Two',
    access_type: { name: 'ppv', quantity: 2, period: 'day' },
    setup_fee: null,
    trial_period: null,
    created_at: shop.fee.created_at,
  });
  expect(await listed(shop)).toEqual([body]);
});

test('201: a fee that is sent as it was read stays on sale without end, in its country', async () => {
  const shop = await createShop(app, { country_iso: 'MK', restriction_type: 'blacklist' });
  const places = { country_iso: 'MK', country_set_id: 0 };
  const read = { ...monthly, starts_at: 0, expires_at: 0, ...places, restriction_type: 'blacklist' };
  const path = `/v2/items/${shop.item.id}/access-fees/${shop.fee.id}`;
  const json = { body: JSON.stringify(read), contentType: 'application/json', token: shop.merchant.token };
  const { status, body } = await send<Fee>(app, 'PUT', path, json);
  expect(status).toBe(201);
  expect(await listed(shop)).toEqual([body]);
  expect(body).toMatchObject({ starts_at: 0, expires_at: 0, geo_restriction: { type: 'blacklist', ...places } });
});

test('201: a fee that has sold keeps its id while its amount, currency and type stay', async () => {
  const shop = await createShop(app);
  await sell(app, shop, shop.fee);
  const external_fees = [{ payment_provider_id: 13, external_id: 'org.example.monthly' }];
  const changes = { description: 'Monthly', trial_period_quantity: 7, trial_period_period: 'day', external_fees };
  expect((await update(shop, changes)).body).toMatchObject({
    id: shop.fee.id,
    description: 'Monthly',
    trial_period: { quantity: 7 },
    external_fees: [{ external_id: 'org.example.monthly' }],
  });
  expect((await update(shop, changes)).body.external_fees).toHaveLength(1);
});

test('201: another fee takes the place of one that is being bought in an app store', async () => {
  const shop = await createShop(app);
  await app.pool.query(
    `INSERT INTO store_purchases (token, merchant_id, account_id, item_id, access_fee_id, store, environment,
       original_id, transaction_id, product_id, kind, state, is_trial, auto_renew, purchased_at, as_of)
     VALUES ($1, $2, $3, $4, $5, 'google-play', 'sandbox', $1, $1, 'monthly', 'subscription', 'pending', false, false,
       now(), now())`,
    [`S-${shop.fee.id}`, shop.merchant.id, shop.consumer.id, shop.item.id, shop.fee.id],
  );
  expect((await update(shop, { amount: '12.50' })).body.id).not.toBe(shop.fee.id);
});

test.each([
  ['amount', { amount: '12.50' }],
  ['currency', { currency: 'USD' }],
  ['access type', { period: 'year' }],
])('201: another fee takes the place of one that has sold, for another %s', async (_what, changes) => {
  const external_fees = [{ payment_provider_id: 13, external_id: 'org.example.monthly' }];
  const shop = await createShop(app, { external_fees });
  await sell(app, shop, shop.fee);
  const { status, body } = await update(shop, { ...changes, external_fees });
  expect(status).toBe(201);
  expect(body.id).toBeGreaterThan(shop.fee.id);
  expect(idsOf(await listed(shop))).toEqual([body.id]);
  expect(body.external_fees).toMatchObject([{ access_fee_id: body.id, external_id: 'org.example.monthly' }]);
  const { rows } = await app.pool.query(
    'SELECT amount_minor, currency, replaced_by, retired_at IS NOT NULL AS retired FROM access_fees WHERE id = $1',
    [shop.fee.id],
  );
  expect(rows).toEqual([{ amount_minor: 999, currency: 'EUR', replaced_by: body.id, retired: true }]);
});

test('201: present subscribers keep the old price, and new ones can buy at the new price only', async () => {
  const shop = await createShop(app);
  const { body: submitted } = await subscribe(app, shop);
  const { body: fee } = await update(shop, { amount: '12.50' });
  const path = `/subscriptions/${submitted.subscription_id}`;
  expect((await call(app, 'GET', path, undefined, shop.consumer)).body).toMatchObject({
    access_fee_id: shop.fee.id,
    subscription_price: 9.99,
  });
  const consumer = await createConsumer(app, shop.merchant);
  expect(await call(app, 'POST', '/subscriptions', purchase(shop), consumer)).toMatchObject({
    status: 404,
    body: { error: 'access_fee_not_found' },
  });
  expect((await call(app, 'POST', '/subscriptions', purchase({ ...shop, fee }), consumer)).status).toBe(202);
});

test('201: of ten changes at once of one that has sold, one makes the next fee', async () => {
  const shop = await createShop(app);
  await sell(app, shop, shop.fee);
  const replies = await Promise.all(Array.from({ length: 10 }, (_, index) => update(shop, { amount: 20 + index })));
  const statuses = replies.map(({ status }) => status).sort();
  expect(statuses).toEqual([201, ...Array<number>(9).fill(404)]);
  expect(await listed(shop)).toHaveLength(1);
});

test('400 missing_parameter: what a new fee needs', async () => {
  const { merchant, item, fee } = await createShop(app);
  const { status, body } = await call<ErrorBody>(
    app,
    'PUT',
    `/v2/items/${item.id}/access-fees/${fee.id}`,
    { amount: 1 },
    merchant,
  );
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({
    status: 400,
    fields: ['currency', 'description'],
  });
});

test('404 item_not_found: no such item, and an item of another merchant alike', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  for (const id of [2_147_483_647, other.item.id])
    expect(await update({ ...other, merchant: shop.merchant, item: { ...shop.item, id } })).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
});

test('404 access_fee_not_found: no such fee, one of another item or merchant, and one that was replaced', async () => {
  const [shop, stranger] = [await createShop(app), await createShop(app)];
  const other = await createFee(app, shop.merchant, (await createItem(app, shop.merchant)).id);
  for (const fee of [{ ...shop.fee, id: 2_147_483_647 }, other, stranger.fee])
    expect(await update({ ...shop, fee }, { amount: 1 })).toMatchObject({
      status: 404,
      body: { error: 'access_fee_not_found' },
    });
  await sell(app, shop, shop.fee);
  expect((await update(shop, { amount: 1 })).status).toBe(201);
  expect((await update(shop, { amount: 2 })).status).toBe(404);
  expect((await listed(stranger))[0]).toMatchObject({ amount: 9.99 });
});

test('404 access_type_not_found: an access type of another merchant', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  expect(await update(shop, { access_type_id: other.fee.access_type.id })).toMatchObject({
    status: 404,
    body: { error: 'access_type_not_found' },
  });
});

test('404 country_set_not_found: a set of another merchant', async () => {
  const shop = await createShop(app);
  const set = await createCountrySet(app, { merchant: await createMerchant(app) });
  expect(await update(shop, { country_set_id: set.id })).toMatchObject({
    status: 404,
    body: { error: 'country_set_not_found' },
  });
});

test.each([
  ['amount', { amount: '9.999' }],
  ['currency', { currency: 'XXX' }],
  ['expires_at', { starts_at: 1_800_000_000, expires_at: 1_700_000_000 }],
  ['country_iso', { country_iso: 'XX', restriction_type: 'whitelist' }],
])('422 invalid_input: %s in %j', async (name, changes) => {
  const { status, body } = await update<ErrorBody>(await createShop(app), changes);
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [name] });
});
