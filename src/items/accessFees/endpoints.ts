import { z } from 'zod';
import { anyone, merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { ItemPath, ItemOfMerchantPath } from '../schemas';
import { AccessFeeBody, AccessFeeResponse, ItemWithFees } from './schemas';
import * as accessFees from './service';

const feeList = {
  method: 'get',
  auth: anyone(),
  params: ItemPath,
  status: 200,
  response: z.array(AccessFeeResponse),
  errors: ['item_not_found'],
} as const;

export const accessFeeEndpoints = {
  listAccessFees: endpoint({
    ...feeList,
    path: '/v2/items/{id}/access-fees',
    summary: 'What an item costs now',
    handler: ({ params }) => accessFees.listAccessFees(params.id),
  }),
  listAccessFeesV1: endpoint({
    ...feeList,
    path: '/items/{id}/access-fees',
    summary: 'What an item costs now (v1)',
    handler: ({ params }) => accessFees.listAccessFees(params.id),
  }),
  createAccessFee: endpoint({
    method: 'post',
    path: '/v2/items/{id}/access-fees',
    summary: 'Price an item',
    auth: merchant('items:write'),
    params: ItemPath,
    body: AccessFeeBody,
    status: 201,
    response: AccessFeeResponse,
    errors: ['item_not_found', 'access_type_not_found', 'missing_parameter'],
    handler: ({ caller, params, body }) => accessFees.createAccessFee(caller, params.id, body),
  }),
  getItem: endpoint({
    method: 'get',
    path: '/items/{merchant_uuid}/{id}',
    summary: "An item's card with its fees, never its content",
    auth: anyone(),
    params: ItemOfMerchantPath,
    status: 200,
    response: ItemWithFees,
    errors: ['item_not_found'],
    handler: ({ params }) => accessFees.getItem(params.merchant_uuid, params.id),
  }),
};
