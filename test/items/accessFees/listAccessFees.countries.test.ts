import { type Card, type Fee, idsOf } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant, createShop, purchase } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { addresses, createCountrySet, manage, startBehindProxy } from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

const { macedonia, america, unknown } = addresses;
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

async function shownTo(itemId: number, address: string): Promise<number[]> {
  const { body } = await call<Fee[]>(app, 'GET', `/v2/items/${itemId}/access-fees`, undefined, from(address));
  const card = await call<Card>(app, 'GET', `/items/${itemId}`, undefined, from(address));
  expect(card.body.access_fees).toEqual(body);
  return idsOf(body);
}

test('200: a fee for a country is shown there only, and one for all others everywhere else', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  const everywhere = await createFee(app, merchant, id);
  const there = await createFee(app, merchant, id, { country_iso: 'MK', restriction_type: 'whitelist' });
  const elsewhere = await createFee(app, merchant, id, { country_iso: 'MK', restriction_type: 'blacklist' });
  expect(await shownTo(id, macedonia)).toEqual([everywhere.id, there.id]);
  expect(await shownTo(id, america)).toEqual([everywhere.id, elsewhere.id]);
  expect(await shownTo(id, unknown)).toEqual([everywhere.id, elsewhere.id]);
});

test('200: so it is with a set of countries, as it is now', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  const set = await createCountrySet(app, { merchant }, { global: false, countries: ['MK', 'AL'] });
  const there = await createFee(app, merchant, id, { country_set_id: set.id });
  const elsewhere = await createFee(app, merchant, id, { country_set_id: set.id, restriction_type: 'blacklist' });
  expect(await shownTo(id, macedonia)).toEqual([there.id]);
  expect(await shownTo(id, america)).toEqual([elsewhere.id]);
  const change = { name: 'Away', global: false, type: 'whitelist', countries: ['US'] };
  await manage(app, { merchant }, 'PUT', `geo/country-set/${set.id}`, change);
  expect(await shownTo(id, macedonia)).toEqual([elsewhere.id]);
  expect(await shownTo(id, america)).toEqual([there.id]);
});

test('200: a fee follows the type of its set as it is now, unless it turns the set round', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  const set = await createCountrySet(app, { merchant }, { global: false, type: 'whitelist', countries: ['MK'] });
  const place = { country_set_id: set.id };
  const plain = await createFee(app, merchant, id, place);
  const same = await createFee(app, merchant, id, { ...place, restriction_type: 'whitelist' });
  const turned = await createFee(app, merchant, id, { ...place, restriction_type: 'blacklist' });
  expect([await shownTo(id, macedonia), await shownTo(id, america)]).toEqual([[plain.id, same.id], [turned.id]]);
  const change = { name: 'Away', global: false, type: 'blacklist', countries: ['MK'] };
  await manage(app, { merchant }, 'PUT', `geo/country-set/${set.id}`, change);
  expect([await shownTo(id, macedonia), await shownTo(id, america)]).toEqual([[], [plain.id, same.id, turned.id]]);
  const { body } = await call<Fee[]>(app, 'GET', `/v2/items/${id}/access-fees`, undefined, from(america));
  expect(body).toMatchObject(Array(3).fill({ geo_restriction: { ...place, type: 'blacklist' } }));
});

test('200: a fee is not shown until the replica has loaded its country set, also if it excludes the set', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  const loaded = await createCountrySet(app, { merchant }, { global: false, countries: ['MK'] });
  const known = await createFee(app, merchant, id, { country_set_id: loaded.id, restriction_type: 'blacklist' });
  expect(await shownTo(id, america)).toEqual([known.id]);
  const unloaded = await insertUnnoticedSet(merchant.id);
  await createFee(app, merchant, id, { country_set_id: unloaded });
  await createFee(app, merchant, id, { country_set_id: unloaded, restriction_type: 'blacklist' });
  expect(await shownTo(id, america)).toEqual([known.id]);
});

/** Inserts a whitelist without triggers, so that no NOTIFY reaches the app. */
async function insertUnnoticedSet(merchantId: number): Promise<number> {
  const client = await app.pool.connect();
  try {
    await client.query('SET session_replication_role = replica');
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO country_sets (merchant_id, name, type, is_global) VALUES ($1, 'S', 'whitelist', false) RETURNING id`,
      [merchantId],
    );
    return rows[0]?.id ?? 0;
  } finally {
    await client.query('RESET session_replication_role');
    client.release();
  }
}

test('200: a fee that is not for the buyer’s country cannot be bought there', async () => {
  const shop = await createShop(app, { country_iso: 'MK', restriction_type: 'whitelist' });
  const buy = (address: string) =>
    call(app, 'POST', '/subscriptions', purchase(shop), { token: shop.consumer.token, ...from(address) });
  expect(await buy(america)).toMatchObject({ status: 404, body: { error: 'access_fee_not_found' } });
  expect((await buy(macedonia)).status).toBe(202);
});

test('200: sale dates follow the merchant’s own time', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createItem(app, merchant);
  const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;
  const soon = await createFee(app, merchant, id, { starts_at: inDays(5), expires_at: inDays(9) });
  const sold = await createFee(app, merchant, id, { expires_at: inDays(5) });
  expect(await shownTo(id, macedonia)).toEqual([sold.id]);
  await app.pool.query(`INSERT INTO test_clocks (merchant_id, ahead) VALUES ($1, interval '7 days')`, [merchant.id]);
  expect(await shownTo(id, macedonia)).toEqual([soon.id]);
});

test.each(['expand[voucher]=', 'expand[anything]=1', 'expand[voucher]=&expand[anything]=1'])(
  '200: %s asks for nothing more',
  async (query) => {
    const { item, fee } = await createShop(app);
    const { status, body } = await call<Fee[]>(app, 'GET', `/v2/items/${item.id}/access-fees?${query}`);
    expect({ status, body }).toEqual({ status: 200, body: [fee] });
  },
);

test('422 invalid_input: a voucher that can be none', async () => {
  const { item } = await createShop(app);
  const reply = await call<ErrorBody>(app, 'GET', `/v2/items/${item.id}/access-fees?expand[voucher]=x`);
  expect([reply.status, Object.keys(reply.body.errors ?? {})]).toEqual([422, ['expand.voucher']]);
});

test('200: with the voucher that is asked for, where it is tied to the fee', async () => {
  const { merchant, item, fee } = await createShop(app);
  const other = await createFee(app, merchant, item.id, { amount: '19.99' });
  const voucher = { name: 'Spring', discount: 25, start_date: '2026-01-01T00:00:00Z', code: 'SPRING25' };
  const { id } = (await call<{ id: number }>(app, 'POST', '/vouchers', voucher, merchant)).body;
  const list = async (query: string) =>
    (await call<Fee[]>(app, 'GET', `/v2/items/${item.id}/access-fees${query}`)).body;
  expect((await list('')).map((shown) => 'voucher_rule' in shown)).toEqual([false, false]);
  expect((await list(`?expand[voucher]=${id}`)).map((shown) => shown.voucher_rule)).toEqual([null, null]);
  await call(app, 'POST', `/vouchers/${id}/assets`, { value: item.id }, merchant);
  const expanded = await list(`?expand[voucher]=${id}`);
  expect(idsOf(expanded)).toEqual([fee.id, other.id]);
  expect(expanded[0]?.voucher_rule).toMatchObject({ voucher: { id, code: 'SPRING25', discount: 25 } });
});
