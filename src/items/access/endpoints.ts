import { consumer } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { ItemPath } from '../schemas';
import { AccessResponse } from './schemas';
import * as access from './service';

export const accessEndpoints = {
  checkAccess: endpoint({
    method: 'get',
    path: '/items/{id}/access',
    summary: 'The content, when the consumer has access',
    auth: consumer(),
    params: ItemPath,
    status: 200,
    response: AccessResponse,
    errors: ['item_not_found', 'access_not_found'],
    hot: true,
    handler: ({ caller, params }) => access.checkAccess(caller, params.id),
  }),
};
