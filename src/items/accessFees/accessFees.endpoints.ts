import { merchant, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { ItemPath } from '../items.schemas';
import * as changes from './changes';
import { AccessFeeBody, AccessFeeResponse, FeePath } from './accessFees.schemas';
import * as accessFees from './accessFees';

export const accessFeeEndpoints = {
  createAccessFee: endpoint({
    method: 'post',
    path: '/v2/items/{id}/access-fees',
    summary: 'Create a fee of an item',
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
    summary: 'Get a fee of the merchant, on sale or not',
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
    summary: 'Replace a fee; if it was sold at another price, a new fee takes its place',
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
    summary: 'End the sale of a fee; its subscribers still pay it',
    auth: withRecentFactor(merchant('items:write')),
    params: ItemPath,
    status: 200,
    response: Message,
    errors: ['access_fee_not_found'],
    handler: ({ caller, params }) => changes.deleteAccessFee(caller, params.id),
  }),
};
