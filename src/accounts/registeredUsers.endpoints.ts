import { merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { DeactivationBody, UserPage, UserQuery } from './registeredUsers.schemas';
import * as registeredUsers from './registeredUsers';

export const registeredUserEndpoints = {
  listRegisteredUsers: endpoint({
    method: 'get',
    path: '/accounts/registered-users',
    summary: 'List the merchant’s consumers, filtered by `search[]=key:value` and `active`',
    auth: merchant('accounts:read'),
    query: UserQuery,
    status: 200,
    response: UserPage,
    errors: [],
    handler: ({ caller, query }) => registeredUsers.listRegisteredUsers(caller, query),
  }),
  deactivateAccount: endpoint({
    method: 'delete',
    path: '/accounts',
    summary: 'Deactivate a customer: its sessions end and it can no longer sign in',
    auth: withRecentFactor(merchant('accounts:write')),
    body: DeactivationBody,
    status: 200,
    response: Message,
    errors: ['account_does_not_exist'],
    handler: ({ caller, body, request }) =>
      registeredUsers.deactivateAccount(caller, body.customerID, request.requestId),
  }),
};
