import type * as FeeRules from '../../src/vouchers/feeRules';
import { FeeVoucherRule } from '../../src/vouchers/feeRules.schemas';
import { createShop, type Shop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher } from '../support/vouchers';

let app: TestApp;
let feeRules: typeof FeeRules;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  feeRules = await import('../../src/vouchers/feeRules.js');
});
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const make = (type: string, value: number, fields: Record<string, unknown> = {}) =>
  createVoucher(app, shop.merchant, { rules: [{ rule_type: type, value }], ...fields });
const describeRule = (voucherId: number, feeId = shop.fee.id, merchantId = shop.merchant.id) =>
  feeRules.describeVoucherRule(merchantId, feeId, voucherId);

test('the rule that ties the voucher to the fee, as clients decode it', async () => {
  const voucher = await make('access_fees', shop.fee.id, {
    code: 'SPRING25',
    start_date: 1_770_000_000,
    end_date: 3_790_000_000,
    usage_limit: 100,
  });
  await app.pool.query('UPDATE vouchers SET starts_at = to_timestamp(1700000000) WHERE id = $1', [voucher.id]);
  const rule = await describeRule(voucher.id);
  expect(rule).toEqual({
    id: voucher.rules[0]?.id,
    rule_type: 'access_fees',
    value: String(shop.fee.id),
    voucher: {
      id: voucher.id,
      name: 'Spring',
      code: 'SPRING25',
      discount: 25,
      rebill_discount: 0,
      discount_amount: 0,
      rebill_discount_amount: 0,
      discount_currency: '',
      discount_period: 'once',
      discount_duration: 1,
      usage_limit: 100,
      usage_counter: 0,
      start_date: 1_700_000_000,
      end_date: 3_790_000_000,
    },
  });
  expect(FeeVoucherRule.parse(rule)).toEqual(rule);
});

test('a rule that names the item; no limit and no end are 0', async () => {
  const voucher = await make('assets', shop.item.id);
  expect(await describeRule(voucher.id)).toMatchObject({
    rule_type: 'assets',
    value: String(shop.item.id),
    voucher: { usage_limit: 0, end_date: 0 },
  });
});

test('nothing of a voucher that no rule ties to the fee, that is for accounts, or that cannot be used now', async () => {
  const other = await createShop(app);
  const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;
  const useless = [
    await createVoucher(app, shop.merchant),
    await make('emails', shop.consumer.id),
    await make('assets', shop.item.id, {
      rules: [
        { rule_type: 'assets', value: shop.item.id },
        { rule_type: 'emails', value: shop.consumer.id },
      ],
    }),
    await make('assets', shop.item.id, { start_date: inDays(1) }),
    await make('assets', shop.item.id, { end_date: inDays(-1) }),
    await createVoucher(app, other.merchant, { rules: [{ rule_type: 'assets', value: other.item.id }] }),
  ];
  for (const { id } of useless) expect(await describeRule(id)).toBeUndefined();
  const used = await make('assets', shop.item.id, { usage_limit: 1 });
  await app.pool.query('UPDATE vouchers SET usage_counter = 1 WHERE id = $1', [used.id]);
  expect(await describeRule(used.id)).toBeUndefined();
  expect(await describeRule(2_147_483_647)).toBeUndefined();
  expect(await describeRule(useless[5]?.id ?? 0, other.fee.id)).toBeUndefined();
});
