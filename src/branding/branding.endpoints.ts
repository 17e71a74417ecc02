import { anyone, merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  BrandBody,
  BrandChange,
  BrandOfMerchantPath,
  BrandPath,
  BrandResponse,
  MerchantPath,
  SavedBrand,
} from './branding.schemas';
import * as branding from './branding';

export const brandingEndpoints = {
  createBrand: endpoint({
    method: 'post',
    path: '/branding/paywall',
    summary:
      'Create a brand, the look of the merchant’s pages and mails; a new default brand replaces the previous one',
    auth: merchant('branding:write'),
    body: BrandBody,
    status: 201,
    response: SavedBrand,
    errors: ['missing_parameter'],
    handler: ({ caller, body, request }) => branding.createBrand(caller, body, request),
  }),
  updateBrand: endpoint({
    method: 'put',
    path: '/branding/paywall',
    summary: 'Replace a brand; the default brand stays the default until another brand becomes it',
    auth: merchant('branding:write'),
    body: BrandChange,
    status: 200,
    response: SavedBrand,
    errors: ['missing_parameter', 'brand_not_found'],
    handler: ({ caller, body, request }) => branding.updateBrand(caller, body.id, body, request),
  }),
  deleteBrand: endpoint({
    method: 'delete',
    path: '/branding/paywall/{id}',
    summary: 'Delete a brand, unless it is the default',
    auth: withRecentFactor(merchant('branding:write')),
    params: BrandPath,
    status: 200,
    response: Message,
    errors: ['brand_not_found', 'default_brand'],
    handler: ({ caller, params, request }) => branding.deleteBrand(caller, params.id, request),
  }),
  getDefaultBrand: endpoint({
    method: 'get',
    path: '/branding/paywall/{merchant_uuid}/default',
    summary: 'The merchant’s default brand; an OAuth app’s client id also names the merchant',
    auth: anyone(),
    params: MerchantPath,
    status: 200,
    response: BrandResponse,
    errors: ['account_not_found'],
    handler: ({ params }) => branding.getBrand(params.merchant_uuid),
  }),
  getBrand: endpoint({
    method: 'get',
    path: '/branding/paywall/{merchant_uuid}/{id}',
    summary: 'A brand of the merchant, or the default brand with `exists: false` for an unknown id',
    auth: anyone(),
    params: BrandOfMerchantPath,
    status: 200,
    response: BrandResponse,
    errors: ['account_not_found'],
    handler: ({ params }) => branding.getBrand(params.merchant_uuid, params.id),
  }),
};
