import { z } from 'zod';
import { anyone, merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { PageQuery } from '../kit/page';
import { ItemOfMerchantPath } from './items.schemas';
import {
  AssetBody,
  AssetResponse,
  CollectionPage,
  CollectionQuery,
  ExternalPath,
  ExternalQuery,
  ItemOrMerchantPath,
  ItemPageWithFees,
  ItemWithFees,
} from './assets.schemas';
import * as assets from './assets';

/**
 * Items with their prices. Two of these paths match nearly every path under `/items`, so they are the last in the list.
 */
export const assetEndpoints = {
  listCollection: endpoint({
    method: 'get',
    path: '/items/collection',
    summary: 'List the merchant’s items with their fees, sorted (old)',
    auth: merchant('items:read'),
    query: CollectionQuery,
    status: 200,
    response: CollectionPage,
    errors: [],
    handler: ({ caller, query }) => assets.listCollection(caller, query),
  }),
  saveAsset: endpoint({
    method: 'patch',
    path: '/items/asset',
    summary: 'Create or change an item with its fees in one call (old)',
    auth: merchant('items:write'),
    body: AssetBody,
    status: 200,
    response: AssetResponse,
    errors: [
      'missing_parameter',
      'item_not_found',
      'access_fee_not_found',
      'access_type_not_found',
      'country_set_not_found',
    ],
    handler: ({ caller, body }) => assets.saveAsset(caller, body),
  }),
  getExternalAsset: endpoint({
    method: 'get',
    path: '/items/assets/external/{type}/{external_id}',
    summary: 'Get the card of an item with its fees, by its id at a video platform',
    auth: anyone(),
    params: ExternalPath,
    query: ExternalQuery,
    status: 200,
    response: ItemWithFees,
    errors: ['item_not_found', 'item_restricted'],
    handler: ({ params, query, request }) => assets.getExternalAsset(params, query.merchant_uuid, request),
  }),
  getMerchantItem: endpoint({
    method: 'get',
    path: '/v2/items/{merchant_uuid}/{id}',
    summary: 'Get the merchant’s item with its content and all its fees',
    auth: merchant('items:read'),
    params: ItemOfMerchantPath,
    status: 200,
    response: AssetResponse,
    errors: ['item_not_found'],
    handler: ({ caller, params }) => assets.getMerchantItem(caller, params.merchant_uuid, params.id),
  }),
  getItem: endpoint({
    method: 'get',
    path: '/items/{merchant_uuid}/{id}',
    summary: "Get an item's card with its fees, without its content",
    auth: anyone(),
    params: ItemOfMerchantPath,
    status: 200,
    response: ItemWithFees,
    errors: ['item_not_found'],
    handler: ({ params, request }) => assets.getItem(params.merchant_uuid, params.id, request),
  }),
  getItemOrCatalogue: endpoint({
    method: 'get',
    path: '/items/{id}',
    summary: 'Get an item’s card with its fees by its id, or the cards of the items on sale by a merchant’s uuid',
    auth: anyone(),
    params: ItemOrMerchantPath,
    query: PageQuery,
    status: 200,
    response: z.union([ItemWithFees, ItemPageWithFees]),
    errors: ['item_not_found'],
    handler: ({ params, query, request }) => assets.getItemOrCatalogue(params.id, query, request),
  }),
};
