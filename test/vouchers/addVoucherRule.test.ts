import { call } from '../support/client';
import { createShop, type Shop } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { createPackage, createVoucher, type Voucher } from '../support/vouchers';

let app: TestApp;
let shop: Shop;
let other: Shop;
let voucher: Voucher;

beforeAll(async () => {
  app = await startApp();
  other = await createShop(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  shop = await createShop(app);
  voucher = await createVoucher(app, shop.merchant);
});

interface Added {
  id: number;
  code: number;
  message: string;
}

const add = <Body = Added>(type: string, value: unknown, id = voucher.id) =>
  call<Body>(app, 'POST', `/vouchers/${id}/${type}`, { value }, shop.merchant);
const rulesOf = async (id = voucher.id) =>
  (await call<Voucher>(app, 'GET', `/vouchers/${id}`, undefined, shop.merchant)).body.rules;

test('200: an item, a package, a fee, an account', async () => {
  const season = await createPackage(app, shop);
  const targets = { assets: shop.item.id, packages: season.id, access_fees: shop.fee.id, emails: shop.consumer.id };
  for (const [type, value] of Object.entries(targets)) {
    const { status, body } = await add(type, value);
    expect({ status, body }).toMatchObject({ status: 200, body: { code: 200, message: 'Rule successfully added' } });
    expect(await rulesOf()).toContainEqual(expect.objectContaining({ id: body.id, rule_type: type, value }) as unknown);
  }
});

test('200: the same rule again is the same rule, also when it comes many times at once', async () => {
  const replies = await Promise.all(Array.from({ length: 5 }, () => add('assets', shop.item.id)));
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
  expect(await rulesOf()).toHaveLength(1);
});

test('404 voucher_not_found: another merchant’s', async () => {
  const { id } = await createVoucher(app, other.merchant);
  expect(await add('assets', shop.item.id, id)).toMatchObject({ status: 404, body: { error: 'voucher_not_found' } });
});

test('404 item_not_found: another merchant’s, or of the other kind', async () => {
  for (const [type, value] of [
    ['assets', other.item.id],
    ['packages', shop.item.id],
    ['assets', (await createPackage(app, shop)).id],
  ] as const)
    expect(await add(type, value)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
  expect(await rulesOf()).toEqual([]);
});

test('404 access_fee_not_found: another merchant’s', async () => {
  expect(await add('access_fees', other.fee.id)).toMatchObject({
    status: 404,
    body: { error: 'access_fee_not_found' },
  });
});

test('400 account_does_not_exist: another merchant’s consumer', async () => {
  expect(await add('emails', other.consumer.id)).toMatchObject({
    status: 400,
    body: { message: 'The account does not exist', error: 'account_does_not_exist' },
  });
});

test('422 invalid_input: an unknown rule type, and a value that is no id', async () => {
  const unknown = await add<ErrorBody>('colours', shop.item.id);
  expect(unknown).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
  expect(Object.keys(unknown.body.errors ?? {})).toEqual(['rule_type']);
  expect(await add('emails', 'ana@example.org')).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});
