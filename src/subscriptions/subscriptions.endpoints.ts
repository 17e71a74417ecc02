import { consumer, signedInWith } from '../kit/auth';
import { endpoint, variant } from '../kit/endpoint';
import { cursorPageOf } from '../kit/page';
import { isSent } from '../kit/validate';
import { ContinueBody } from './cards.schemas';
import {
  SubmittedResponse,
  SubscribeBody,
  SubscriptionPath,
  SubscriptionQuery,
  SubscriptionResponse,
} from './subscriptions.schemas';
import * as subscriptions from './subscriptions';
import * as submissions from './submissions';

const asConsumer = { auth: consumer() } as const;

const submission = {
  method: 'post',
  ...asConsumer,
  body: SubscribeBody,
  cardNumberFields: ['number'],
  status: 202,
  response: SubmittedResponse,
  errors: [
    'missing_parameter',
    'access_fee_not_found',
    'voucher_not_found',
    'voucher_currency',
    'voucher_customer_limit',
    'voucher_new_customers_only',
    'payment_not_found',
    'payment_failed',
    'provider_misconfigured',
    'access_restricted',
    'already_has_access',
    'price_changed',
    'card_confirmation_required',
    'payment_method_not_offered',
    'too_many_requests',
  ],
  instead: variant(asConsumer, {
    summary: 'Continue after an authentication',
    isMeant: ({ fields }) => isSent(fields['pi_id']),
    body: ContinueBody,
    handler: ({ caller, body, request }) => submissions.continueSubscription(caller, body.pi_id, request.requestId),
  }),
} as const;

export const subscriptionEndpoints = {
  createSubscription: endpoint({
    ...submission,
    path: '/subscriptions',
    summary: 'Subscribe by card, direct debit, iDEAL, Bancontact or PayPal',
    handler: ({ caller, body, request }) => submissions.createSubscription(caller, body, request),
  }),
  createSubscriptionV2: endpoint({
    ...submission,
    path: '/v2/subscriptions',
    summary: 'Subscribe by card, direct debit, iDEAL, Bancontact or PayPal (v2)',
    handler: ({ caller, body, request }) => submissions.createSubscription(caller, body, request),
  }),
  listSubscriptions: endpoint({
    method: 'get',
    path: '/subscriptions',
    summary: 'List the subscriptions of the consumer, or of a merchant’s customers',
    auth: signedInWith('payments:read'),
    query: SubscriptionQuery,
    status: 200,
    response: cursorPageOf(SubscriptionResponse),
    errors: [],
    handler: ({ caller, query }) => subscriptions.listSubscriptions(caller, query),
  }),
  getSubscription: endpoint({
    method: 'get',
    path: '/subscriptions/{id}',
    summary: 'Get a subscription and the outcome of its payment',
    auth: signedInWith('payments:read'),
    params: SubscriptionPath,
    status: 200,
    response: SubscriptionResponse,
    errors: ['subscription_not_found'],
    handler: ({ caller, params }) => subscriptions.getSubscription(caller, params.id),
  }),
};
