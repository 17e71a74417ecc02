import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher, type Voucher } from '../support/vouchers';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (merchant = await createMerchant(app)));

const patch = <Body = Voucher>(id: number, fields: Record<string, unknown>) =>
  call<Body>(app, 'PATCH', `/v2/vouchers/${id}`, fields, merchant);

const full = {
  code: 'SPRING',
  rebill_discount: 5,
  usage_limit: 10,
  discount_period: 'repeating',
  discount_duration: 3,
  end_date: '2090-01-01',
};

test.each([
  ['name', 'Summer', 'Summer'],
  ['code', 'SUMMER', 'SUMMER'],
  ['discount', 50, 50],
  ['rebill_discount', 0, 0],
  ['usage_limit', 20, 20],
  ['discount_duration', 6, 6],
  ['start_date', '2021-05-01', '2021-05-01T00:00:00.000Z'],
  ['end_date', 1_900_000_000, '2030-03-17T17:46:40.000Z'],
])('200: %s and nothing else', async (field, sent, shown) => {
  const voucher = await createVoucher(app, merchant, full);
  const { status, body } = await patch(voucher.id, { [field]: sent });
  expect({ status, body }).toEqual({ status: 200, body: { ...voucher, [field]: shown } });
  expect((await call(app, 'GET', `/vouchers/${voucher.id}`, undefined, merchant)).body).toEqual(body);
});

test('200: another period; a duration is kept by repeating only', async () => {
  const { id } = await createVoucher(app, merchant, full);
  expect((await patch(id, { discount_period: 'forever' })).body.discount_duration).toBe(0);
  expect(await patch(id, { discount_period: 'repeating' })).toMatchObject({
    status: 422,
    body: { errors: { discount_duration: expect.stringMatching(/must not be empty/) as string } },
  });
  expect((await patch(id, { discount_period: 'repeating', discount_duration: 2 })).body.discount_duration).toBe(2);
});

test('200: nothing sent changes nothing', async () => {
  const voucher = await createVoucher(app, merchant, full);
  expect((await patch(voucher.id, { name: '' })).body).toEqual(voucher);
});

test('404 voucher_not_found: another merchant’s', async () => {
  const other = await createVoucher(app, await createMerchant(app));
  expect(await patch(other.id, { name: 'Mine' })).toMatchObject({ status: 404, body: { error: 'voucher_not_found' } });
});

test('409 voucher_code_taken: the code of another voucher', async () => {
  await createVoucher(app, merchant, { code: 'SPRING' });
  const { id } = await createVoucher(app, merchant);
  expect(await patch(id, { code: 'spring' })).toMatchObject({ status: 409, body: { error: 'voucher_code_taken' } });
});

test.each([
  ['discount', { discount: 0 }],
  ['discount', { discount: 101 }],
  ['code', { code: 'ABCD' }],
  ['end_date', { end_date: '2019-01-01' }],
  ['end_date', { start_date: '2095-01-01' }],
  ['usage_limit', { usage_limit: 0 }],
  ['rebill_discount', { rebill_discount: -1 }],
])('422 invalid_input: %s of %j', async (field, fields) => {
  const { id } = await createVoucher(app, merchant, full);
  const { status, body } = await patch<ErrorBody>(id, fields);
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [field] });
});

test('422 invalid_input: a limit below the uses so far', async () => {
  const { id } = await createVoucher(app, merchant);
  await app.pool.query('UPDATE vouchers SET usage_counter = 3 WHERE id = $1', [id]);
  expect(await patch(id, { usage_limit: 2 })).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});
