import { anyone, merchant } from '../kit/auth';
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
} from './schemas';
import * as branding from './service';

export const brandingEndpoints = {
  createBrand: endpoint({
    method: 'post',
    path: '/branding/paywall',
    summary: 'Create a brand: how the merchant’s pages and mails look; as the default it demotes the one before it',
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
    summary: 'Replace a brand; the default one stays the default until another is made it',
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
    auth: merchant('branding:write'),
    params: BrandPath,
    status: 200,
    response: Message,
    errors: ['brand_not_found', 'default_brand'],
    handler: ({ caller, params, request }) => branding.deleteBrand(caller, params.id, request),
  }),
  getDefaultBrand: endpoint({
    method: 'get',
    path: '/branding/paywall/{merchant_uuid}/default',
    summary: 'The merchant’s default brand; an OAuth app id will do too',
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
    summary: 'A brand of the merchant; for an id that names none the default one, with `exists: false`',
    auth: anyone(),
    params: BrandOfMerchantPath,
    status: 200,
    response: BrandResponse,
    errors: ['account_not_found'],
    handler: ({ params }) => branding.getBrand(params.merchant_uuid, params.id),
  }),
};
