import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { PageQuery } from '../../kit/page';
import { Timeline, TimelinePath } from './schemas';
import * as timelines from './service';

export const timelineEndpoints = {
  getTimeline: endpoint({
    method: 'get',
    path: '/v2/accounts/customers/{id}/timeline',
    summary: 'Everything that happened to a customer, newest first, with the durable run that did it',
    auth: merchant('accounts:read'),
    params: TimelinePath,
    query: PageQuery,
    status: 200,
    response: Timeline,
    errors: ['account_not_found'],
    handler: ({ caller, params, query }) => timelines.getTimeline(caller, params.id, query),
  }),
};
