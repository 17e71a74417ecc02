import { z } from 'zod';
import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { PageQuery } from '../kit/page';
import { AccessTypeResponse } from './accessTypes.schemas';
import * as accessTypes from './accessTypes';

export const accessTypeEndpoints = {
  listAccessTypes: endpoint({
    method: 'get',
    path: '/items/access-types',
    summary: 'List the access types of the merchant’s fees',
    auth: merchant('items:read'),
    query: PageQuery,
    status: 200,
    response: z.array(AccessTypeResponse),
    errors: [],
    handler: ({ caller, query }) => accessTypes.listAccessTypes(caller, query),
  }),
};
