import { signedIn, signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ChannelKeysResponse, HistoryQuery, HistoryResponse } from './notifications.schemas';
import * as notifications from './notifications';

export const notificationEndpoints = {
  listEvents: endpoint({
    method: 'get',
    path: '/notifications/history',
    summary: 'List the events after a position, for clients without a socket',
    auth: signedInWith('payments:read'),
    query: HistoryQuery,
    status: 200,
    response: HistoryResponse,
    errors: [],
    handler: ({ caller, query }) => notifications.listEvents(caller, query),
  }),
  getChannelKeys: endpoint({
    method: 'get',
    path: '/iot/keys',
    summary: 'Create keys for the MQTT channel at `/mqtt`, valid for one hour, with the address of the plain WebSocket',
    auth: signedIn(),
    feature: 'push',
    status: 200,
    response: ChannelKeysResponse,
    errors: [],
    handler: ({ caller }) => Promise.resolve(notifications.createChannelKeys(caller)),
  }),
};
