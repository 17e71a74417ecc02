import { consumer, merchant, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { PendingChange } from '../changes/changes.schemas';
import {
  CancelOfferBody,
  CancelOfferList,
  CancelOfferPath,
  CreatedCancelOffer,
  OfferChoice,
  ShownOffer,
  SubscriptionOfferPath,
  OfferRequest,
} from './cancelOffers.schemas';
import * as cancelOffers from './cancelOffers';
import * as offering from './offering';

const own = { auth: consumer(), status: 200, params: SubscriptionOfferPath } as const;
const path = '/v2/subscriptions/{id}/cancel-offer';
const errors = ['subscription_not_found', 'cancel_offer_not_found'] as const;

export const cancelOfferEndpoints = {
  listCancelOffers: endpoint({
    method: 'get',
    path: '/v2/cancel-offers',
    summary: 'List the offers to customers who are about to cancel, with what customers decided',
    auth: merchant('payments:read'),
    status: 200,
    response: CancelOfferList,
    errors: [],
    handler: ({ caller }) => cancelOffers.listCancelOffers(caller),
  }),
  createCancelOffer: endpoint({
    method: 'post',
    path: '/v2/cancel-offers',
    summary: 'Create an offer to customers who are about to cancel: a pause, a cheaper plan or a discount',
    auth: merchant('settings:write'),
    body: CancelOfferBody,
    status: 201,
    response: CreatedCancelOffer,
    errors: ['item_not_found', 'access_fee_not_found', 'cancel_offer_exists'],
    handler: ({ caller, body }) => cancelOffers.createCancelOffer(caller, body),
  }),
  endCancelOffer: endpoint({
    method: 'delete',
    path: '/v2/cancel-offers/{id}',
    summary: 'End an offer; its figures stay',
    auth: withRecentFactor(merchant('settings:write')),
    params: CancelOfferPath,
    status: 200,
    response: Message,
    errors: ['cancel_offer_not_found'],
    handler: ({ caller, params }) => cancelOffers.endCancelOffer(caller, params.id),
  }),
  makeCancelOffer: endpoint({
    ...own,
    method: 'post',
    path,
    summary:
      'The merchant’s offer before a cancellation, which counts as shown; the same one again until the customer decides',
    body: OfferRequest,
    response: ShownOffer,
    errors,
    handler: ({ caller, params, body }) => offering.makeCancelOffer(caller, params.id, body),
  }),
  acceptCancelOffer: endpoint({
    ...own,
    method: 'post',
    path: `${path}/accept`,
    summary: 'Keep the subscription with the offer',
    body: OfferChoice,
    response: Message,
    pending: PendingChange,
    errors: [...errors, 'subscription_state'],
    handler: ({ caller, params, body, request }) => offering.acceptCancelOffer(caller, params.id, body, request),
  }),
};
