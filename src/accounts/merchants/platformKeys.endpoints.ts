import { merchant, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { PlatformKeysBody } from './platformKeys.schemas';
import * as platformKeys from './platformKeys';

export const platformKeyEndpoints = {
  setPlatformKeys: endpoint({
    method: 'post',
    path: '/accounts/external',
    summary: 'Store the keys of a video platform, encrypted',
    auth: withRecentFactor(merchant('settings:write')),
    body: PlatformKeysBody,
    status: 200,
    response: Message,
    errors: ['missing_parameter'],
    handler: ({ caller, body, request }) => platformKeys.setPlatformKeys(caller, body, request.requestId),
  }),
};
