import { z } from 'zod';
import { anyone, merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { ItemPath } from '../schemas';
import * as changes from './changes/service';
import { AccessFeeBody, AccessFeeResponse, FeePath, FeeQuery } from './schemas';
import * as accessFees from './service';

const feeList = {
  method: 'get',
  auth: anyone(),
  params: ItemPath,
  query: FeeQuery,
  status: 200,
  response: z.array(AccessFeeResponse),
  errors: ['item_not_found'],
} as const;

export const accessFeeEndpoints = {
  listAccessFees: endpoint({
    ...feeList,
    path: '/v2/items/{id}/access-fees',
    summary: 'What an item costs now, where the visitor is',
    handler: ({ params, query, request }) => accessFees.listAccessFees(params.id, request, query),
  }),
  listAccessFeesV1: endpoint({
    ...feeList,
    path: '/items/{id}/access-fees',
    summary: 'What an item costs now, where the visitor is (v1)',
    handler: ({ params, query, request }) => accessFees.listAccessFees(params.id, request, query),
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
    errors: ['item_not_found', 'access_type_not_found', 'country_set_not_found', 'missing_parameter'],
    handler: ({ caller, params, body }) => changes.createAccessFee(caller, params.id, body),
  }),
  getAccessFee: endpoint({
    method: 'get',
    path: '/v2/items/{id}/access-fees/{fee_id}',
    summary: 'One fee of the merchant’s, on sale now or not',
    auth: merchant('items:read'),
    params: FeePath,
    status: 200,
    response: AccessFeeResponse,
    errors: ['item_not_found', 'access_fee_not_found'],
    handler: ({ caller, params }) => accessFees.getAccessFee(caller, params.id, params.fee_id),
  }),
  updateAccessFee: endpoint({
    method: 'put',
    path: '/v2/items/{id}/access-fees/{fee_id}',
    summary: 'Replace a fee; where it has sold at another price, another fee takes its place',
    auth: merchant('items:write'),
    params: FeePath,
    body: AccessFeeBody,
    status: 201,
    response: AccessFeeResponse,
    errors: [
      'item_not_found',
      'access_fee_not_found',
      'access_type_not_found',
      'country_set_not_found',
      'missing_parameter',
    ],
    handler: ({ caller, params, body }) => changes.updateAccessFee(caller, params.id, params.fee_id, body),
  }),
  deleteAccessFee: endpoint({
    method: 'delete',
    path: '/items/access-fees/{id}',
    summary: 'Sell a fee no longer; its subscribers go on paying it',
    auth: merchant('items:write'),
    params: ItemPath,
    status: 200,
    response: Message,
    errors: ['access_fee_not_found'],
    handler: ({ caller, params }) => changes.deleteAccessFee(caller, params.id),
  }),
};
