import { createCountrySet } from '../restrictions';
import { type Examples } from './example';

const publicItem = { 'params.id': 'prices are for everyone' };

export const itemExamples: Examples = {
  createItem: {
    request: () => ({
      body: {
        item_type: 'html_asset',
        title: 'Cup final',
        content: '<p>Gold.</p>',
        metadata: { preview_title: 'Gold' },
      },
    }),
    unowned: {
      'body.access_control_type_id': 'one of four for everyone',
      'body.external_asset_id': 'a name of the merchant’s own',
      'body.template_id': 'a number that the merchant’s pages know',
    },
    roomy: ['content', 'metadata'],
  },
  listAccessFees: { request: ({ item }) => ({ params: { id: item.id } }), unowned: publicItem },
  listAccessFeesV1: { request: ({ item }) => ({ params: { id: item.id } }), unowned: publicItem },
  createAccessFee: [
    {
      request: ({ item }) => ({
        params: { id: item.id },
        body: {
          access_type: 'ppv',
          quantity: 2,
          period: 'day',
          amount: '4.50',
          currency: 'EUR',
          description: 'Two days',
        },
      }),
      owned: { 'params.id': 'merchant' },
    },
    {
      request: async (world) => ({
        params: { id: world.item.id },
        body: {
          access_type_id: world.fee.access_type.id,
          country_set_id: (await createCountrySet(world.app, world, { global: false })).id,
          amount: 4.5,
          currency: 'EUR',
          description: 'Monthly',
        },
      }),
      owned: { 'params.id': 'merchant', 'body.access_type_id': 'merchant', 'body.country_set_id': 'merchant' },
    },
  ],
  getItem: {
    request: ({ item, merchant }) => ({ params: { merchant_uuid: merchant.uuid, id: item.id } }),
    owned: { 'params.id': 'merchant', 'params.merchant_uuid': 'merchant' },
  },
};
