import { signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { HistoryQuery, HistoryResponse } from './schemas';
import * as notifications from './service';

export const notificationEndpoints = {
  listEvents: endpoint({
    method: 'get',
    path: '/notifications/history',
    summary: 'The events after a place, for clients without a socket',
    auth: signedInWith('payments:read'),
    query: HistoryQuery,
    status: 200,
    response: HistoryResponse,
    errors: [],
    handler: ({ caller, query }) => notifications.listEvents(caller, query),
  }),
};
