import { signedInWith } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { AuthenticationResponse, SubscriptionPath } from './schemas';
import * as authentications from './service';

export const authenticationEndpoints = {
  getAuthentication: endpoint({
    method: 'get',
    path: '/subscriptions/{id}/authentication',
    summary: 'Where the payer confirms the charge that a subscription waits for',
    auth: signedInWith('payments:read'),
    params: SubscriptionPath,
    status: 200,
    response: AuthenticationResponse,
    errors: ['subscription_not_found', 'payment_not_found'],
    handler: ({ caller, params }) => authentications.getAuthentication(caller, params.id),
  }),
};
