import { createFee, createItem } from '../factories';
import { createPackage } from '../catalogue';
import { createCountrySet } from '../restrictions';
import { type World } from '../world';
import { type Example, type Examples } from './example';

const namesNoRow = {
  'body.access_control_type_id': 'one of four for everyone',
  'body.external_asset_id': 'a name of the merchant’s own',
  'body.template_id': 'a number that the merchant’s pages know',
};
const ofSite = { 'params.site_id': 'names the tenant, which everyone knows' };
const onShow = { 'params.id': 'cards and prices are for everyone' };

const item = {
  item_type: 'html_asset',
  title: 'Cup final',
  content: '<p>Gold.</p>',
  metadata: { preview_title: 'Gold' },
};
const fee = {
  access_type: 'subscription',
  quantity: 1,
  period: 'month',
  amount: '4.50',
  currency: 'EUR',
  description: 'Monthly pass',
};

/** Endpoints for an item of the merchant. */
const ofItem = (more: Partial<Example> = {}, body?: Record<string, unknown>): Example => ({
  request: async ({ app, merchant }) => ({
    params: { id: (await createItem(app, merchant)).id },
    ...(body && { body }),
  }),
  owned: { 'params.id': 'merchant' },
  ...more,
});

const ofPackage: Example = {
  request: async (world) => ({ params: { id: await newPackage(world) } }),
  owned: { 'params.id': 'merchant' },
};

async function newPackage({ app, merchant }: World): Promise<number> {
  return (await createPackage(app, merchant)).id;
}

const feePath = { 'params.id': 'merchant', 'params.fee_id': 'merchant' } as const;

/** Further endpoints of the catalogue. */
export const catalogueExamples: Examples = {
  getDonations: {
    request: ({ item: { id } }) => ({ params: { id } }),
    owned: { 'params.id': 'merchant' },
  },
  listPlans: {
    request: ({ merchant }) => ({ params: { site_id: merchant.uuid }, query: { page: 1, page_length: 5 } }),
    unowned: ofSite,
  },
  listPrices: {
    request: ({ merchant, item: { id } }) => ({
      params: { site_id: merchant.uuid, plan_id: id },
      query: { page: 1, page_length: 5 },
    }),
    owned: { 'params.plan_id': 'merchant' },
    unowned: ofSite,
  },
  listEntitlements: {
    request: ({ merchant }) => ({ params: { site_id: merchant.uuid }, query: { page: 1, page_length: 5 } }),
    unowned: ofSite,
  },
  listItems: [
    { request: () => ({ query: { search: ['title:cup'], item_type: 'html_asset', active: 1, page: 1, size: 5 } }) },
    {
      request: ({ item: { id } }) => ({ query: { search: [`id:${id}`] } }),
      owned: { 'query.search': 'merchant' },
    },
  ],
  updateItem: ofItem({ unowned: namesNoRow, roomy: ['content', 'metadata'] }, { ...item, is_giftable: true }),
  replaceItem: ofItem(
    { unowned: namesNoRow, roomy: ['content', 'metadata'] },
    { ...item, gift_metadata: { description: 'Yours' } },
  ),
  deleteItem: ofItem(),
  reactivateItem: ofItem(),

  listAccessTypes: { request: () => ({}) },
  getAccessFee: {
    request: (world) => ({ params: { id: world.item.id, fee_id: world.fee.id } }),
    owned: feePath,
  },
  updateAccessFee: [
    {
      request: async ({ app, merchant, item: { id } }) => ({
        params: { id, fee_id: (await createFee(app, merchant, id)).id },
        body: { ...fee, trial_period_quantity: 7, trial_period_period: 'day' },
      }),
      owned: feePath,
    },
    {
      request: async (world) => {
        const { id, access_type } = await createFee(world.app, world.merchant, world.item.id);
        const choice = {
          access_type_id: access_type.id,
          country_set_id: (await createCountrySet(world.app, world, { global: false })).id,
        };
        return { params: { id: world.item.id, fee_id: id }, body: { ...fee, ...choice } };
      },
      owned: { ...feePath, 'body.access_type_id': 'merchant', 'body.country_set_id': 'merchant' },
    },
  ],
  deleteAccessFee: {
    request: async ({ app, merchant, item: { id } }) => ({ params: { id: (await createFee(app, merchant, id)).id } }),
    owned: { 'params.id': 'merchant' },
  },

  listCollection: { request: () => ({ query: { order: 'title', direction: 'asc', is_active: 1, limit: 3 } }) },
  saveAsset: [
    { request: () => ({ body: { ...item, access_fees: [fee] } }), roomy: ['content', 'metadata'] },
    {
      request: async ({ app, merchant }) => ({
        body: { ...item, item_id: (await createItem(app, merchant)).id, access_fees: [fee] },
      }),
      owned: { 'body.item_id': 'merchant' },
      roomy: ['content', 'metadata'],
    },
  ],
  getExternalAsset: {
    request: async ({ app, merchant }) => {
      const fields = { item_type: 'jw_asset', external_asset_id: `jw-${merchant.id}` };
      await createItem(app, merchant, fields);
      return {
        params: { type: 'jw', external_id: fields.external_asset_id },
        query: { merchant_uuid: merchant.uuid },
      };
    },
    owned: { 'params.external_id': 'merchant', 'query.merchant_uuid': 'merchant' },
    unowned: { 'params.type': 'one of the platforms' },
  },
  getMerchantItem: {
    request: (world) => ({ params: { merchant_uuid: world.merchant.uuid, id: world.item.id } }),
    owned: { 'params.id': 'merchant', 'params.merchant_uuid': 'merchant' },
  },
  getItemOrCatalogue: [
    { request: (world) => ({ params: { id: world.item.id } }), unowned: onShow },
    { request: ({ merchant }) => ({ params: { id: merchant.uuid }, query: { limit: 2 } }), unowned: onShow },
  ],

  createPackage: [
    {
      request: () => ({ body: { title: 'Season ticket', content: 'All', access_fees: [fee] } }),
      roomy: ['content', 'metadata'],
    },
    { request: (world) => ({ body: { title: 'Season', items: world.item.id } }), owned: { 'body.items': 'merchant' } },
  ],
  listPackages: { request: () => ({ query: { search: ['title:season'], active: 'all', size: 2 } }) },
  getPackage: [
    { request: async (world) => ({ params: { id: await newPackage(world) } }), unowned: onShow },
    { request: ({ merchant }) => ({ params: { id: merchant.uuid } }), unowned: onShow },
  ],
  updatePackage: {
    request: async (world) => ({
      params: { id: await newPackage(world) },
      body: { title: 'All matches', items: world.item.id, access_fees: [fee] },
    }),
    owned: { 'params.id': 'merchant', 'body.items': 'merchant' },
    roomy: ['content', 'metadata'],
  },
  deletePackage: ofPackage,
  reactivatePackage: ofPackage,
  updateMembership: {
    request: async (world) => ({
      params: { id: await newPackage(world) },
      body: { add_asset_ids: world.item.id, remove_asset_ids: world.item.id },
    }),
    owned: { 'params.id': 'merchant', 'body.add_asset_ids': 'merchant', 'body.remove_asset_ids': 'merchant' },
  },
  listPackageItems: {
    request: async (world) => ({ params: { id: await newPackage(world) }, query: { search: ['title:cup'] } }),
    unowned: onShow,
  },
};
