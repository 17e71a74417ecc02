import { master, merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import {
  CustomerSession,
  FollowerSession,
  ImpersonateCustomerBody,
  ImpersonateFollowerBody,
} from './impersonation.schemas';
import * as impersonation from './impersonation';

export const impersonationEndpoints = {
  impersonateFollower: endpoint({
    method: 'post',
    path: '/accounts/impersonate',
    summary: 'Act as a follower, for an hour',
    auth: master(),
    body: ImpersonateFollowerBody,
    status: 200,
    response: FollowerSession,
    errors: ['account_does_not_exist', 'invalid_client', 'wrong_password', 'too_many_requests'],
    handler: ({ caller, body, request }) => impersonation.impersonateFollower(caller, body, request),
  }),
  impersonateCustomer: endpoint({
    method: 'post',
    path: '/v2/accounts/impersonate',
    summary: 'Act as a customer, for an hour',
    auth: merchant('impersonate'),
    body: ImpersonateCustomerBody,
    status: 200,
    response: CustomerSession,
    errors: ['account_does_not_exist'],
    handler: ({ caller, body, request }) => impersonation.impersonateCustomer(caller, body.customer_id, request),
  }),
};
