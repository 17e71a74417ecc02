import { createFee, createItem } from '../factories';
import { createPackage, createVoucher, giveGift, voucherFields } from '../vouchers';
import { cloneConsumer, type World } from '../world';
import { type Example, type Examples } from './example';

/** Of the merchant, which may be a follower that may make none. */
const voucher: Example = {
  request: async ({ app, merchant }) => ({ params: { id: (await createVoucher(app, merchant)).id } }),
  owned: { 'params.id': 'merchant' },
};

const rule = (type: string, valueOf: (world: World) => Promise<number> | number): Example => ({
  request: async (world) => ({
    params: { id: (await createVoucher(world.app, world.merchant)).id, rule_type: type },
    body: { value: await valueOf(world) },
  }),
  owned: { 'params.id': 'merchant', 'body.value': 'merchant' },
  unowned: { 'params.rule_type': 'one of four words' },
});

const terms = {
  ...voucherFields,
  rebill_discount: 10,
  end_date: '2090-01-01',
  prefix: 'NEWS-',
  suffix: '-24',
  length: 10,
  usage_limit: 100,
  discount_period: 'repeating',
  discount_duration: 3,
};

const batch = { ...terms, count: 3 };

export const voucherExamples: Examples = {
  createVoucher: [
    { request: () => ({ body: terms }) },
    { request: ({ item }) => ({ body: { ...terms, rules: [{ rule_type: 'assets', value: item.id }] } }) },
  ],
  listVouchers: { request: () => ({ query: { search: ['id:1', 'name:spring'], page: 1, size: 5 } }) },
  getVoucher: voucher,
  updateVoucher: {
    ...voucher,
    request: async (world, caller) => ({
      ...(await voucher.request(world, caller)),
      body: { ...voucherFields, name: 'Summer', discount: 30 },
    }),
  },
  patchVoucher: {
    ...voucher,
    request: async (world, caller) => ({
      ...(await voucher.request(world, caller)),
      body: { name: 'Summer', discount: 30, rebill_discount: 5, usage_limit: 10, discount_period: 'forever' },
    }),
  },
  deleteVoucher: voucher,
  removeVoucherRule: {
    request: async ({ app, merchant, item }) => {
      const rules = [{ rule_type: 'assets', value: item.id }];
      const made = await createVoucher(app, merchant, { rules });
      return { params: { id: made.id, rule_id: made.rules[0]?.id ?? 0 } };
    },
    owned: { 'params.id': 'merchant', 'params.rule_id': 'merchant' },
  },
  addVoucherRule: [
    rule('assets', ({ item }) => item.id),
    rule('packages', async (world) => (await createPackage(world.app, world)).id),
    rule('access_fees', ({ fee }) => fee.id),
    rule('emails', async (world) => (await cloneConsumer(world)).id),
  ],
  createVoucherBatch: [
    { request: () => ({ body: batch }) },
    { request: ({ item }) => ({ body: { ...batch, rules: [{ rule_type: 'assets', value: item.id }] } }) },
  ],
  listVoucherBatches: { request: () => ({ query: { page: 1, size: 5 } }) },
  listGiftVouchers: { request: () => ({ query: { page: 1, size: 5 } }) },
  getGiftVoucher: {
    request: async (world) => ({ params: { id: (await giveGift(world)).giftId } }),
    owned: { 'params.id': 'merchant' },
  },
  resendGift: {
    request: async (world) => ({ params: { id: (await giveGift(world)).giftId } }),
    owned: { 'params.id': 'merchant' },
  },
  listOwnGifts: { request: () => ({ query: { direction: 'received', page: 1, size: 5 } }) },
  getDiscount: [
    {
      request: async ({ app, merchant, item, fee }) => {
        const { code } = await createVoucher(app, merchant);
        return { body: { voucher_code: code, access_fee_id: fee.id, item_id: item.id } };
      },
      owned: { 'body.access_fee_id': 'merchant', 'body.item_id': 'merchant' },
    },
    {
      request: async ({ app, merchant }) => {
        const item = await createItem(app, merchant);
        await createFee(app, merchant, item.id);
        return { body: { voucher_code: (await createVoucher(app, merchant)).code, item_id: item.id } };
      },
      owned: { 'body.item_id': 'merchant' },
    },
  ],
};
