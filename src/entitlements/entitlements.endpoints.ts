import { consumer, openToActors } from '../kit/auth';
import { endpoint, variant } from '../kit/endpoint';
import { ItemPath } from '../items/items.schemas';
import { formBool } from '../kit/form';
import * as entitlements from './entitlements';
import * as explanations from './explanations';
import { ExplainQuery } from './explanations.schemas';
import { CheckResponse } from './entitlements.schemas';

const check = { auth: openToActors('items:read', consumer()), params: ItemPath } as const;

export const accessEndpoints = {
  checkAccess: endpoint({
    method: 'get',
    path: '/items/{id}/access',
    summary: 'Get the content if the consumer has access',
    ...check,
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
    handler: ({ caller, params, request }) => entitlements.answerCheck(caller, params.id, request),
    // A consumer always gets the check of its own access.
    instead: variant(check, {
      summary: 'Get the reasons as a merchant, with `explain`',
      isMeant: ({ caller, query }) =>
        caller?.role === 'merchant' && formBool().safeParse(query['explain']).data === true,
      query: ExplainQuery,
      handler: ({ caller, params, query }) => explanations.explainAccess(caller, params.id, query),
    }),
  }),
};
