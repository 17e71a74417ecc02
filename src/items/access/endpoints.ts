import { consumer } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { ItemPath } from '../schemas';
import { ExplainQuery } from './explanations/schemas';
import * as explanations from './explanations/service';
import { CheckResponse } from './schemas';

export const accessEndpoints = {
  checkAccess: endpoint({
    method: 'get',
    path: '/items/{id}/access',
    summary: 'The content, when the consumer has access; with `explain`, for a merchant, why a customer has or has not',
    auth: consumer(),
    params: ItemPath,
    query: ExplainQuery,
    status: 200,
    response: CheckResponse,
    errors: [
      'item_not_found',
      'access_restricted',
      'access_not_found',
      'missing_parameter',
      'account_does_not_exist',
      'forbidden',
    ],
    handler: ({ caller, params, query, request }) => explanations.checkOrExplain(caller, params.id, query, request),
  }),
};
