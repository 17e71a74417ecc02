import { signedIn, signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ChannelKeysResponse, HistoryQuery, HistoryResponse } from './schemas';
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
  getChannelKeys: endpoint({
    method: 'get',
    path: '/iot/keys',
    summary: 'Keys of an hour for the MQTT channel at `/mqtt`, and the address of the plain WebSocket',
    auth: signedIn(),
    feature: 'push',
    status: 200,
    response: ChannelKeysResponse,
    errors: [],
    handler: ({ caller }) => Promise.resolve(notifications.createChannelKeys(caller)),
  }),
};
