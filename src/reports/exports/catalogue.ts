import { listDevicesOfCode, readAccessCodes } from '../../items/accessCodes';
import { listOwnFees } from '../../items/accessFees/accessFees';
import { readPackages } from '../../items/packages';
import { readItems } from '../../items/items';
import { merchant } from '../../kit/auth';
import { shownParts } from '../../kit/csv';
import { readVoucherBatchesAfter } from '../../vouchers/batches';
import { readGiftsAfter } from '../../vouchers/gifts';
import { getVoucher, readVouchers } from '../../vouchers/vouchers';
import { exportSorts } from './exports.schemas';
import { byId, type List, needed, sortedBy, whole } from './lists';

const searchKeys = ['title', 'id', 'external_id', 'external_asset_id', 'merchant_id', 'merchant_uuid'] as const;

/** Exports of items and prices. */
export const catalogueLists = {
  items: {
    auth: merchant('items:read'),
    filters: ['search', 'item_type', 'active', 'package_id'],
    searchKeys,
    columns: `id title item_type=itemType is_active=isActive external_id=externalId created_at=createdAt
      updated_at=updatedAt`,
    sorts: exportSorts.items,
    read: (caller, asked) => readItems(caller, sortedBy(exportSorts.items, asked)),
  },
  packages: {
    auth: merchant('items:read'),
    filters: ['search', 'active'],
    searchKeys,
    columns: 'id title is_active items access_fees created_at updated_at',
    sorts: exportSorts.packages,
    read: (caller, asked) => shownParts(readPackages(caller, sortedBy(exportSorts.packages, asked)), packageLine),
  },
  'access-fees': {
    auth: merchant('items:read'),
    filters: ['item_id'],
    needs: ['item_id'],
    columns: `id item_id description access_type quantity period currency amount setup_fee trial_quantity trial_period
      country_iso country_set_id country_rule starts_at expires_at created_at updated_at`,
    read: async (caller, { item_id: itemId }) => whole((await listOwnFees(caller, needed(itemId))).map(feeLine)),
  },
  'access-codes': {
    auth: merchant('items:read'),
    filters: ['item_id'],
    needs: ['item_id'],
    columns: 'code_id item_id code device_limit devices expires_at created_at',
    read: (caller, { item_id: itemId }) => readAccessCodes(caller, needed(itemId)),
  },
  'access-code-devices': {
    auth: merchant('items:read'),
    filters: ['item_id', 'code_id'],
    needs: ['item_id', 'code_id'],
    columns: 'code browser_fingerprint agent_info last_used_at=last_used',
    read: async (caller, { item_id: itemId, code_id: codeId }) =>
      whole(await listDevicesOfCode(caller, needed(itemId), needed(codeId))),
  },
} as const satisfies Record<string, List>;

/** Exports of vouchers. */
export const voucherLists = {
  vouchers: {
    auth: merchant('vouchers:read'),
    feature: 'vouchers',
    filters: ['search'],
    searchKeys: ['id', 'name', 'code', 'discount_period', 'batch'],
    columns: `id name code discount discount_period=discountPeriod discount_duration=discountDuration
      usage_limit=usageLimit usage_counter=usageCounter starts_at=startsAt ends_at=endsAt created_at=createdAt
      discount_amount=discountAmount discount_currency=discountCurrency
      usage_limit_per_customer=usageLimitPerCustomer new_customers_only=newCustomersOnly batch_id=batchId`,
    sorts: exportSorts.vouchers,
    read: (caller, asked) => readVouchers(caller, sortedBy(exportSorts.vouchers, asked)),
  },
  'voucher-batches': {
    auth: merchant('vouchers:read'),
    feature: 'vouchers',
    filters: [],
    columns: 'id name prefix suffix count uses created_at',
    read: (caller) => byId((limit, after) => readVoucherBatchesAfter(caller, limit, after)),
  },
  'voucher-rules': {
    auth: merchant('vouchers:read'),
    feature: 'vouchers',
    filters: ['voucher_id'],
    needs: ['voucher_id'],
    columns: 'id rule_type value title',
    read: async (caller, { voucher_id: voucherId }) =>
      whole((await getVoucher(caller, needed(voucherId))).rules.map(ruleLine)),
  },
  gifts: {
    auth: merchant('vouchers:read'),
    feature: 'gifts',
    filters: [],
    columns: `id code item_id item_title access_fee_id access_fee_description buyer_email receiver_email status currency
      amount bought_at redeemed_at refunded_at`,
    read: (caller) => byId((limit, after) => readGiftsAfter(caller, limit, after)),
  },
} as const satisfies Record<string, List>;

const packageLine = <Row extends { access_fees: readonly unknown[] }>(row: Row) => ({
  ...row,
  access_fees: row.access_fees.length,
});

function feeLine(fee: Awaited<ReturnType<typeof listOwnFees>>[number]) {
  const { access_type: type, setup_fee: setup, trial_period: trial, geo_restriction: places } = fee;
  return {
    ...fee,
    access_type: type.name,
    quantity: type.quantity,
    period: type.period,
    setup_fee: setup?.fee_amount ?? null,
    trial_quantity: trial?.quantity ?? null,
    trial_period: trial?.period ?? null,
    country_iso: places?.country_iso ?? null,
    country_set_id: places?.country_set_id ?? null,
    country_rule: places?.type ?? null,
  };
}

/** An account is exported as its id only. */
function ruleLine(rule: Awaited<ReturnType<typeof getVoucher>>['rules'][number]) {
  return { ...rule, title: rule.assets?.title ?? rule.access_fees?.description ?? null };
}
