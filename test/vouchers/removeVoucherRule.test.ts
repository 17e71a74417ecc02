import { call } from '../support/client';
import { createShop, type Shop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher, type Voucher } from '../support/vouchers';

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
});
afterAll(() => app.stop());

const limited = () => {
  const rules = [
    { rule_type: 'assets', value: shop.item.id },
    { rule_type: 'emails', value: shop.consumer.id },
  ];
  return createVoucher(app, shop.merchant, { rules });
};
const remove = (id: number, ruleId: number | undefined, { merchant } = shop) =>
  call(app, 'DELETE', `/v2/vouchers/${id}/rules/${ruleId}`, undefined, merchant);
const rulesOf = async (id: number) =>
  (await call<Voucher>(app, 'GET', `/vouchers/${id}`, undefined, shop.merchant)).body.rules;

test('200: this rule and no other', async () => {
  const voucher = await limited();
  const [first, second] = voucher.rules;
  expect(await remove(voucher.id, first?.id)).toMatchObject({
    status: 200,
    body: { message: 'Rule successfully removed' },
  });
  expect(await rulesOf(voucher.id)).toEqual([second]);
});

test('404 voucher_rule_not_found: a second time, and the rule of another voucher', async () => {
  const voucher = await limited();
  const other = await limited();
  const [rule] = voucher.rules;
  expect((await remove(other.id, rule?.id)).status).toBe(404);
  expect((await remove(voucher.id, rule?.id)).status).toBe(200);
  expect(await remove(voucher.id, rule?.id)).toMatchObject({
    status: 404,
    body: { error: 'voucher_rule_not_found' },
  });
  expect(await rulesOf(other.id)).toHaveLength(2);
});

test('404 voucher_not_found: another merchant’s, whose rules stay', async () => {
  const voucher = await limited();
  expect(await remove(voucher.id, voucher.rules[0]?.id, await createShop(app))).toMatchObject({
    status: 404,
    body: { error: 'voucher_not_found' },
  });
  expect(await rulesOf(voucher.id)).toHaveLength(2);
});
