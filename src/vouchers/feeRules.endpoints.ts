import { z } from 'zod';
import { ItemPath } from '../items/items.schemas';
import { anyone } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { FeeQuery, OfferedFee } from './feeRules.schemas';
import * as feeRules from './feeRules';

const feeList = {
  method: 'get',
  auth: anyone(),
  params: ItemPath,
  query: FeeQuery,
  status: 200,
  response: z.array(OfferedFee),
  errors: ['item_not_found'],
} as const;

export const offeredFeeEndpoints = {
  listAccessFees: endpoint({
    ...feeList,
    path: '/v2/items/{id}/access-fees',
    summary: 'List the fees of an item in the visitor’s country',
    handler: ({ params, query, request }) => feeRules.listOfferedFees(params.id, request, query),
  }),
  listAccessFeesV1: endpoint({
    ...feeList,
    path: '/items/{id}/access-fees',
    summary: 'List the fees of an item in the visitor’s country (v1)',
    handler: ({ params, query, request }) => feeRules.listOfferedFees(params.id, request, query),
  }),
};
