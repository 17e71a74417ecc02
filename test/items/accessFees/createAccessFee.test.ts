import { call } from '../../support/client';
import { createConsumer, createItem, createMerchant, type Person } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { createCountrySet } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;
let itemId: number;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  itemId = (await createItem(app, merchant)).id;
});

afterAll(() => app.stop());

interface Fee {
  id: number;
  amount: number;
  access_type: { id: number; name: string; quantity: number; period: string };
}

const typeless = { amount: '9.99', currency: 'EUR', description: 'Monthly pass' };
const monthly = { ...typeless, access_type: 'subscription', quantity: 1, period: 'month' };

function create<Body = Fee>(fields: object, options: { item?: number; person?: Pick<Person, 'token'> } = {}) {
  const { item = itemId, person = merchant } = options;
  return call<Body>(app, 'POST', `/v2/items/${item}/access-fees`, { ...fields }, person);
}
const refuse = (fields: object) => create<ErrorBody>(fields);

test('201: a fee with all that clients read of one, its item as an object included', async () => {
  const { status, body } = await create({ ...monthly, setup_fee_amount: '1.5', setup_fee_description: 'Set-up' });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(Number) as number,
    merchant_id: merchant.id,
    merchant_uuid: merchant.uuid,
    amount: 9.99,
    currency: 'EUR',
    title: 'Monthly pass',
    description: 'Monthly pass',
    item_id: itemId,
    item_type: 'html_asset',
    item: expect.objectContaining({ id: itemId, title: 'Cup final', plan_switch_enabled: true }) as object,
    access_type: {
      id: expect.any(Number) as number,
      account_id: merchant.id,
      name: 'subscription',
      quantity: 1,
      period: 'month',
      created_at: expect.any(Number) as number,
      updated_at: expect.any(Number) as number,
    },
    trial_end_behaviour: null,
    when_owned: null,
    trial_period: null,
    setup_fee: {
      id: body.id,
      fee_amount: 1.5,
      description: 'Set-up',
      created_at: expect.any(Number) as number,
      updated_at: expect.any(Number) as number,
    },
    seasonal_fee: null,
    external_fees: [],
    geo_restriction: null,
    current_phase: null,
    next_phase: null,
    plan_switch_enabled: true,
    template_id: null,
    starts_at: 0,
    expires_at: 0,
    created_at: expect.any(Number) as number,
    updated_at: expect.any(Number) as number,
  });
  expect(JSON.stringify(body)).not.toContain('The final.');
});

test('201: the access type is found again by what it is, and can be named by its id', async () => {
  const first = (await create({ ...monthly, quantity: 3 })).body.access_type;
  const again = (await create({ ...monthly, quantity: 3 })).body.access_type;
  const named = await create({ ...typeless, access_type_id: first.id });
  expect([again.id, named.body.access_type.id]).toEqual([first.id, first.id]);
});

test('201: eight fees of one new type at once share the type', async () => {
  const fees = await Promise.all(Array.from({ length: 8 }, () => create({ ...monthly, quantity: 11 })));
  expect(fees.map(({ status }) => status)).toEqual(Array(8).fill(201));
  expect(new Set(fees.map(({ body }) => body.access_type.id)).size).toBe(1);
});

test.each([
  ['EUR', '0', 0],
  ['EUR', '0.50', 0.5],
  ['eur', '19.9', 19.9],
  ['JPY', '1000', 1000],
  ['KWD', '1.230', 1.23],
  ['MGA', '100', 100],
  ['EUR', '999999.99', 999_999.99],
])('201: an amount in %s of %s', async (currency, amount, major) => {
  expect(await create({ ...monthly, currency, amount })).toMatchObject({ status: 201, body: { amount: major } });
});

test('201: dates are Unix seconds or ISO 8601', async () => {
  const sent = { starts_at: '2026-01-01T00:00:00Z', expires_at: '4070908800' };
  expect((await create({ ...monthly, ...sent })).body).toMatchObject({
    starts_at: 1_767_225_600,
    expires_at: 4_070_908_800,
  });
});

test('201: a set of countries and sale dates of 0, as answers write none, are none', async () => {
  const nothing = { starts_at: 0, expires_at: 0, country_set_id: 0 };
  const { status, body } = await create({ ...monthly, ...nothing });
  expect([status, body]).toMatchObject([201, { starts_at: 0, expires_at: 0, geo_restriction: null }]);
  const { body: listed } = await call<Fee[]>(app, 'GET', `/v2/items/${itemId}/access-fees`);
  expect(listed.map(({ id }) => id)).toContain(body.id);
  const here = await create({ ...monthly, ...nothing, country_iso: 'MK', restriction_type: 'whitelist' });
  expect(here.body).toMatchObject({ geo_restriction: { country_iso: 'MK', country_set_id: 0 } });
});

test('201: a free trial that needs no card, and what becomes of it at its end', async () => {
  const trial = { trial_period_quantity: '7', trial_period_period: 'day', trial_end_behaviour: 'pause' };
  const { status, body } = await create({ ...monthly, ...trial });
  expect([status, body]).toMatchObject([201, { trial_end_behaviour: 'pause', trial_period: { quantity: 7 } }]);
});

test('201: what a one-time fee gives to who has access already; without a word it extends that of the same item', async () => {
  const once = { ...monthly, access_type: 'ppv' };
  expect((await create(once)).body).toMatchObject({ when_owned: 'extend_same_item' });
  for (const rule of ['start_now', 'extend_current', 'extend_same_item'])
    expect((await create({ ...once, when_owned: rule })).body).toMatchObject({ when_owned: rule });
});

test('201: a free trial, and what the fee is called in stores', async () => {
  const { body } = await create({
    ...monthly,
    trial_period_quantity: '7',
    trial_period_period: 'day',
    trial_period_description: '7 days free',
    external_fees: [
      { payment_provider_id: 13, external_id: 'org.example.monthly' },
      { payment_provider_id: '15', external_id: 'org.example.monthly' },
    ],
  });
  const times = { created_at: expect.any(Number) as number, updated_at: expect.any(Number) as number };
  const external = { id: expect.any(Number) as number, access_fee_id: body.id, merchant_id: merchant.id };
  expect(body).toMatchObject({
    trial_period: { id: body.id, quantity: 7, period: 'day', description: '7 days free', ...times },
    external_fees: [
      { ...external, payment_provider_id: 13, external_id: 'org.example.monthly' },
      { ...external, payment_provider_id: 15, external_id: 'org.example.monthly' },
    ],
  });
});

test('201: for visitors of a country only, or of a set of countries', async () => {
  const shop = { merchant };
  const set = await createCountrySet(app, shop, { global: false, type: 'blacklist' });
  const country = await create({ ...monthly, country_iso: 'mk', restriction_type: 'whitelist' });
  const ofSet = await create({ ...monthly, country_set_id: set.id });
  const turned = await create({ ...monthly, country_set_id: set.id, restriction_type: 'whitelist' });
  const geo = [country, ofSet, turned].map(({ body }) => (body as Fee & { geo_restriction: object }).geo_restriction);
  expect(geo).toEqual([
    { id: country.body.id, country_iso: 'MK', country_set_id: 0, type: 'whitelist' },
    { id: ofSet.body.id, country_iso: '', country_set_id: set.id, type: 'blacklist' },
    { id: turned.body.id, country_iso: '', country_set_id: set.id, type: 'whitelist' },
  ]);
});

test('201: a freemium fee costs nothing', async () => {
  const free = { ...typeless, access_type: 'freemium', amount: 0 };
  expect(await create(free)).toMatchObject({ status: 201, body: { amount: 0, access_type: { name: 'freemium' } } });
});

test.each([
  [{ trial_period_quantity: 7 }, 'trial_period_period'],
  [{ trial_period_period: 'day' }, 'trial_period_quantity'],
  [{ trial_period_description: 'Free' }, 'trial_period_quantity', 'trial_period_period'],
  [{ trial_end_behaviour: 'cancel' }, 'trial_period_quantity', 'trial_period_period'],
  [{ country_iso: 'MK' }, 'restriction_type'],
  [{ restriction_type: 'blacklist' }, 'country_iso'],
  [
    { access_type: 'ppv_custom', trial_period_quantity: 7, country_iso: 'MK' },
    'expires_at',
    'trial_period_period',
    'restriction_type',
  ],
])('400 missing_parameter: %j without the %s', async (sent, ...absent) => {
  const { status, body } = await refuse({ ...monthly, ...sent });
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 400, fields: absent });
});

test.each([
  [{ ...typeless, currency: 'XXX' }, 'access_type_id'],
  [{ ...typeless, amount: '9.999' }, 'access_type_id'],
  [{ ...typeless, starts_at: 1_800_000_000, expires_at: 1_700_000_000 }, 'access_type_id'],
  [{ ...monthly, access_type: 'ppv_custom', currency: 'XXX' }, 'expires_at'],
  [{ ...monthly, country_iso: 'MK', amount: '9.999' }, 'restriction_type'],
])('400 missing_parameter: %j is not checked before the %s is there', async (sent, absent) => {
  const { status, body } = await refuse(sent);
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 400, fields: [absent] });
});

test('400 missing_parameter: amount, currency, description; then the type; then what the type needs', async () => {
  expect(Object.keys((await refuse({})).body.errors ?? {})).toEqual(['amount', 'currency', 'description']);
  expect(await refuse(typeless)).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { access_type_id: 'The access_type_id must not be empty.' } },
  });
  expect(await refuse({ ...monthly, access_type: 'ppv_custom' })).toMatchObject({
    status: 400,
    body: { errors: { expires_at: 'The expires_at must not be empty.' } },
  });
  expect((await refuse({ ...monthly, access_type: 'ppv_custom', expires_at: 0 })).status).toBe(400);
});

test('404 country_set_not_found: and 400 without what the type needs; the access type is not made either', async () => {
  const typesOf = async () =>
    (await app.pool.query('SELECT FROM access_types WHERE merchant_id = $1', [merchant.id])).rows.length;
  const before = await typesOf();
  expect((await refuse({ ...monthly, quantity: 71, country_set_id: 2_147_483_647 })).status).toBe(404);
  expect((await refuse({ ...typeless, access_type: 'ppv_custom', quantity: 71 })).status).toBe(400);
  expect(await typesOf()).toBe(before);
});

test('401 invalid_auth_token: nobody', async () => {
  expect((await create(monthly, { person: { token: 'x' } })).status).toBe(401);
});

test('403 forbidden: a consumer', async () => {
  const person = await createConsumer(app, merchant);
  expect(await create(monthly, { person })).toMatchObject({ status: 403, body: { error: 'forbidden' } });
});

test('404 item_not_found: no such item, and an item of another merchant alike', async () => {
  const other = await createMerchant(app);
  const foreign = await createItem(app, other);
  for (const item of [2_147_483_647, foreign.id])
    expect(await create(monthly, { item })).toMatchObject({
      status: 404,
      body: { code: 404, message: 'Item not found', error: 'item_not_found' },
    });
  const { rows } = await app.pool.query('SELECT 1 FROM access_fees WHERE item_id = $1', [foreign.id]);
  expect(rows).toEqual([]);
});

test('404 access_type_not_found: an access type of another merchant', async () => {
  const other = await createMerchant(app);
  const { body } = await create(monthly, { item: (await createItem(app, other)).id, person: other });
  expect(await refuse({ ...typeless, access_type_id: body.access_type.id })).toMatchObject({
    status: 404,
    body: { error: 'access_type_not_found' },
  });
});

test('404 country_set_not_found: no such set, and a set of another merchant', async () => {
  const foreign = await createCountrySet(app, { merchant: await createMerchant(app) });
  for (const id of [2_147_483_647, foreign.id])
    expect(await refuse({ ...monthly, country_set_id: id })).toMatchObject({
      status: 404,
      body: { error: 'country_set_not_found' },
    });
});

test('422 invalid_input: what a store calls another fee of the merchant; another merchant’s may be called so', async () => {
  const named = { ...monthly, external_fees: [{ payment_provider_id: 13, external_id: 'org.example.taken' }] };
  expect((await create(named)).status).toBe(201);
  expect(await refuse(named)).toMatchObject({
    status: 422,
    body: { errors: { external_fees: 'The external_fees must not contain a name of another fee.' } },
  });
  const other = await createMerchant(app);
  expect((await create(named, { item: (await createItem(app, other)).id, person: other })).status).toBe(201);
});

test.each([
  ['amount', { amount: '-1' }],
  ['amount', { amount: '9.999' }],
  ['amount', { amount: '9,99' }],
  ['amount', { amount: '1e3' }],
  ['amount', { amount: '9.5', currency: 'JPY' }],
  ['amount', { amount: '1000000000000', currency: 'CLF' }],
  ['currency', { amount: '10', currency: 'CLF' }],
  ['currency', { amount: '10', currency: 'LYD' }],
  ['amount', { amount: '0.10' }],
  ['amount', { amount: '0.29', currency: 'GBP' }],
  ['amount', { amount: '5.005', currency: 'TND' }],
  ['amount', { amount: '10.50', currency: 'MGA' }],
  ['amount', { amount: '1000000.00' }],
  ['setup_fee_amount', { amount: '0', setup_fee_amount: '0.49' }],
  ['setup_fee_amount', { amount: '999999', setup_fee_amount: '1' }],
  ['setup_fee_amount', { amount: '5', currency: 'KWD', setup_fee_amount: '1.001' }],
  ['amount', { amount: '999999999999999' }],
  ['currency', { currency: 'XXX' }],
  ['currency', { currency: 'EURO' }],
  ['currency', { currency: 'constructor' }],
  ['setup_fee_amount', { setup_fee_amount: '0.001' }],
  ['access_type', { access_type: 'rental' }],
  ['quantity', { quantity: 0 }],
  ['quantity', { quantity: 1001 }],
  ['period', { period: 'century' }],
  ['description', { description: 'x'.repeat(251) }],
  ['starts_at', { starts_at: 'soon' }],
  ['starts_at', { starts_at: '-100000000000' }],
  ['expires_at', { expires_at: '8640000000000' }],
  ['expires_at', { starts_at: 1_800_000_000, expires_at: 1_700_000_000 }],
  ['expires_at', { starts_at: 1_800_000_000, expires_at: 1_800_000_000 }],
  ['amount', { access_type: 'freemium' }],
  ['setup_fee_amount', { access_type: 'freemium', amount: 0, setup_fee_amount: 1 }],
  ['trial_period_quantity', { trial_period_quantity: 0, trial_period_period: 'day' }],
  ['trial_period_quantity', { access_type: 'ppv', trial_period_quantity: 7, trial_period_period: 'day' }],
  ['trial_period_period', { trial_period_quantity: 7, trial_period_period: 'century' }],
  ['trial_end_behaviour', { trial_period_quantity: 7, trial_period_period: 'day', trial_end_behaviour: 'go on' }],
  ['when_owned', { access_type: 'ppv', when_owned: 'never' }],
  ['when_owned', { when_owned: 'start_now' }],
  ['country_iso', { country_iso: 'XX', restriction_type: 'whitelist' }],
  ['country_set_id', { country_iso: 'MK', restriction_type: 'whitelist', country_set_id: 1 }],
  ['restriction_type', { country_iso: 'MK', restriction_type: 'greylist' }],
  ['external_fees.0', { external_fees: 'org.example' }],
  ['external_fees.0.payment_provider_id', { external_fees: [{ payment_provider_id: 0, external_id: 'x' }] }],
])('422 invalid_input: %s in %j', async (name, change) => {
  const { status, body } = await refuse({ ...monthly, ...change });
  expect({ status, error: body.error, fields: Object.keys(body.errors ?? {}) }).toEqual({
    status: 422,
    error: 'invalid_input',
    fields: [name],
  });
});

describe('access that ends after 2038-01-19T03:14:07Z, which existing clients cannot read', () => {
  const lastWeeks = Math.floor((0x7fffffff - Date.now() / 1000) / (7 * 86_400));

  test.each(['ppv', 'subscription'])('201: the longest %s that ends before it', async (access_type) => {
    const { status } = await create({ ...typeless, access_type, quantity: lastWeeks, period: 'week' });
    expect(status).toBe(201);
  });

  test.each(['ppv', 'subscription'])(
    '422 invalid_input: a %s that is a week longer names the quantity',
    async (type) => {
      const fields = { ...typeless, access_type: type, quantity: lastWeeks + 1, period: 'week' };
      const { status, body } = await refuse(fields);
      expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['quantity']]);
      expect(body.errors?.['quantity']).toContain('2038-01-19T03:14:07');
    },
  );

  test('201: a fixed date at the last second; 422 invalid_input: one second later', async () => {
    const until = (expires_at: number) => create<ErrorBody>({ ...typeless, access_type: 'ppv_custom', expires_at });
    expect((await until(0x7fffffff)).status).toBe(201);
    const { status, body } = await until(0x7fffffff + 1);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['expires_at']]);
  });
});
