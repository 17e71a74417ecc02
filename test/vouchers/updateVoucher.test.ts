import { call } from '../support/client';
import { createConsumer, createMerchant, createShop, type Shop } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher, giveGift, type Voucher, voucherFields } from '../support/vouchers';

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const put = <Body = Voucher>(id: number, fields: Record<string, unknown>) =>
  call<Body>(app, 'PUT', `/vouchers/${id}`, { ...voucherFields, ...fields }, shop.merchant);
const make = (fields?: Record<string, unknown>) => createVoucher(app, shop.merchant, fields);

test('200: what is not sent is as in a new voucher, but for the code and the rules', async () => {
  const rules = [{ rule_type: 'assets', value: shop.item.id }];
  const voucher = await make({
    code: 'SPRING',
    usage_limit: 5,
    end_date: '2090-01-01',
    discount_period: 'repeating',
    discount_duration: 2,
    rebill_discount: 5,
    rules,
  });
  const { status, body } = await put(voucher.id, { name: 'Summer', discount: 40, start_date: '2021-01-01' });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      ...voucher,
      name: 'Summer',
      discount: 40,
      start_date: '2021-01-01T00:00:00.000Z',
      end_date: null,
      usage_limit: null,
      rebill_discount: null,
      discount_period: 'once',
      discount_duration: 1,
    },
  });
});

test('200: a code that is sent takes the place of the old one, also in another case', async () => {
  const voucher = await make({ code: 'SPRING' });
  expect((await put(voucher.id, { code: 'Spring' })).body.code).toBe('Spring');
  expect((await put(voucher.id, { code: 'SUMMER' })).body.code).toBe('SUMMER');
  expect((await make({ code: 'SPRING' })).code).toBe('SPRING');
});

test('200: a list of rules takes the place of the old one, and an empty one ends them', async () => {
  const voucher = await make({ rules: [{ rule_type: 'assets', value: shop.item.id }] });
  const rules = [{ rule_type: 'access_fees', value: shop.fee.id }];
  expect((await put(voucher.id, { rules })).body.rules).toMatchObject(rules);
  expect((await put(voucher.id, { rules: [''] })).body.rules).toEqual([]);
});

test('404 voucher_not_found: another merchant’s, which stays as it is', async () => {
  const merchant = await createMerchant(app);
  const other = await createVoucher(app, merchant);
  expect(await put(other.id, { name: 'Mine' })).toMatchObject({ status: 404, body: { error: 'voucher_not_found' } });
  expect((await call(app, 'GET', `/vouchers/${other.id}`, undefined, merchant)).body).toEqual(other);
});

test('409 voucher_code_taken: the code of another voucher, and nothing else changes', async () => {
  await make({ code: 'SPRING' });
  const voucher = await make({ code: 'SUMMER' });
  const reply = await put<ErrorBody>(voucher.id, { name: 'Autumn', code: 'spring' });
  expect(reply).toMatchObject({ status: 409, body: { error: 'voucher_code_taken' } });
  const found = await call(app, 'GET', `/vouchers/${voucher.id}`, undefined, shop.merchant);
  expect(found.body).toEqual(voucher);
});

test('404 item_not_found: a rule with another merchant’s item, and the old rules stay', async () => {
  const voucher = await make({ rules: [{ rule_type: 'assets', value: shop.item.id }] });
  const { item } = await createShop(app);
  const reply = await put(voucher.id, { rules: [{ rule_type: 'assets', value: item.id }] });
  expect(reply).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
  const found = await call<Voucher>(app, 'GET', `/vouchers/${voucher.id}`, undefined, shop.merchant);
  expect(found.body.rules).toEqual(voucher.rules);
});

test('404 access_fee_not_found: a rule with another merchant’s fee', async () => {
  const { fee } = await createShop(app);
  const { id } = await make();
  const reply = await put(id, { rules: [{ rule_type: 'access_fees', value: fee.id }] });
  expect(reply).toMatchObject({ status: 404, body: { error: 'access_fee_not_found' } });
});

test('400 account_does_not_exist: a rule with another merchant’s consumer', async () => {
  const stranger = await createConsumer(app, await createMerchant(app));
  const { id } = await make();
  const reply = await put(id, { rules: [{ rule_type: 'emails', value: stranger.id }] });
  expect(reply).toMatchObject({ status: 400, body: { error: 'account_does_not_exist' } });
});

test('422 invalid_input: a limit below the uses so far, an end before the start', async () => {
  const { id } = await make();
  await app.pool.query('UPDATE vouchers SET usage_counter = 3 WHERE id = $1', [id]);
  expect(await put(id, { usage_limit: 2 })).toMatchObject({
    status: 422,
    body: { errors: { usage_limit: 'The usage_limit must be at least 3, the uses so far.' } },
  });
  expect((await put(id, { usage_limit: 3 })).status).toBe(200);
  expect(await put(id, { end_date: '2019-01-01' })).toMatchObject({
    status: 422,
    body: { errors: { end_date: 'The end_date must be after the start_date.' } },
  });
});

test('200: the parts of another code than the one that stays are not taken', async () => {
  const { id, code } = await make({ length: 6, prefix: 'A-', suffix: '-Z' });
  const { body } = await put(id, { length: 9, prefix: 'B-', suffix: '-Y' });
  expect(body).toMatchObject({ code, length: 6, prefix: 'A-', suffix: '-Z' });
});

test('200: length, prefix and suffix are as they were sent, and stay when they are not', async () => {
  const voucher = await make({ length: 6, prefix: 'A-', suffix: '-Z' });
  expect((await put(voucher.id, { name: 'Autumn' })).body).toMatchObject({ length: 6, prefix: 'A-', suffix: '-Z' });
  const sent = { code: 'NEWS-12345-24', length: 5, prefix: 'NEWS-', suffix: '-24' };
  expect((await put(voucher.id, sent)).body).toMatchObject(sent);
  const found = await call(app, 'GET', `/vouchers/${voucher.id}`, undefined, shop.merchant);
  expect(found.body).toMatchObject(sent);
});

test('409 voucher_code_taken: the code of a gift', async () => {
  const { code } = await giveGift(shop);
  const voucher = await make();
  expect(await put(voucher.id, { code })).toMatchObject({ status: 409, body: { error: 'voucher_code_taken' } });
  expect((await put(voucher.id, { name: 'Autumn' })).body.code).toBe(voucher.code);
});

test.each([
  ['discount', { discount: 0 }],
  ['discount', { discount: 101 }],
  ['code', { code: 'ABCD' }],
  ['discount_duration', { discount_period: 'repeating' }],
])('422 invalid_input: %s of %j, and nothing changes', async (field, fields) => {
  const voucher = await make();
  const { status, body } = await put<ErrorBody>(voucher.id, fields);
  expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
  const found = await call(app, 'GET', `/vouchers/${voucher.id}`, undefined, shop.merchant);
  expect(found.body).toEqual(voucher);
});
