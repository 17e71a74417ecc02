import { consumer, signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { pageOf } from '../kit/page';
import { SubmittedResponse, SubscribeBody, SubscriptionPath, SubscriptionQuery, SubscriptionResponse } from './schemas';
import * as subscriptions from './service';
import * as submissions from './submissions/service';

const submission = {
  method: 'post',
  auth: consumer(),
  body: SubscribeBody,
  cardNumberFields: ['number'],
  status: 202,
  response: SubmittedResponse,
  errors: [
    'missing_parameter',
    'access_fee_not_found',
    'voucher_not_found',
    'payment_not_found',
    'access_restricted',
    'already_has_access',
    'price_changed',
    'too_many_requests',
  ],
} as const;

export const subscriptionEndpoints = {
  createSubscription: endpoint({
    ...submission,
    path: '/subscriptions',
    summary: 'Subscribe by card, or go on after an authentication',
    handler: ({ caller, body, request }) => submissions.createSubscription(caller, body, request),
  }),
  createSubscriptionV2: endpoint({
    ...submission,
    path: '/v2/subscriptions',
    summary: 'Subscribe by card, or go on after an authentication (v2)',
    handler: ({ caller, body, request }) => submissions.createSubscription(caller, body, request),
  }),
  listSubscriptions: endpoint({
    method: 'get',
    path: '/subscriptions',
    summary: "The consumer's subscriptions; a merchant's customers'",
    auth: signedInWith('payments:read'),
    query: SubscriptionQuery,
    status: 200,
    response: pageOf(SubscriptionResponse),
    errors: [],
    handler: ({ caller, query }) => subscriptions.listSubscriptions(caller, query),
  }),
  getSubscription: endpoint({
    method: 'get',
    path: '/subscriptions/{id}',
    summary: 'One subscription, and how its payment went',
    auth: signedInWith('payments:read'),
    params: SubscriptionPath,
    status: 200,
    response: SubscriptionResponse,
    errors: ['subscription_not_found'],
    handler: ({ caller, params }) => subscriptions.getSubscription(caller, params.id),
  }),
};
