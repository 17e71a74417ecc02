import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { CursorQuery } from '../kit/page';
import { Timeline, TimelinePath } from './timelines.schemas';
import * as timelines from './timelines';

export const timelineEndpoints = {
  getTimeline: endpoint({
    method: 'get',
    path: '/v2/accounts/customers/{id}/timeline',
    summary: 'A customer’s history, newest first, with the workflow behind each entry',
    auth: merchant('accounts:read'),
    params: TimelinePath,
    query: CursorQuery,
    status: 200,
    response: Timeline,
    errors: ['account_not_found'],
    handler: ({ caller, params, query }) => timelines.getTimeline(caller, params.id, query),
  }),
};
