import { z } from 'zod';
import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { AccessTypeResponse } from './schemas';
import * as accessTypes from './service';

export const accessTypeEndpoints = {
  listAccessTypes: endpoint({
    method: 'get',
    path: '/items/access-types',
    summary: 'How the merchant’s fees give access: once or again and again, and for how long',
    auth: merchant('items:read'),
    status: 200,
    response: z.array(AccessTypeResponse),
    errors: [],
    handler: ({ caller }) => accessTypes.listAccessTypes(caller),
  }),
};
