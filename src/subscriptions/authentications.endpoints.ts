import { inPerson, signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { AuthenticationResponse, SubscriptionPath } from './authentications.schemas';
import * as authentications from './authentications';

export const authenticationEndpoints = {
  getAuthentication: endpoint({
    method: 'get',
    path: '/subscriptions/{id}/authentication',
    summary: 'Get the page where the payer authenticates a waiting charge',
    auth: inPerson(signedInWith('payments:read')),
    params: SubscriptionPath,
    status: 200,
    response: AuthenticationResponse,
    errors: ['subscription_not_found', 'payment_not_found'],
    handler: ({ caller, params }) => authentications.getAuthentication(caller, params.id),
  }),
};
