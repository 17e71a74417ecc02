import { consumer, openToActors } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { DefaultCardBody, DefaultCards, MethodPath, PaymentMethods, PaymentTools, TypedCard } from './cards.schemas';
import * as cards from './cards';

export const cardEndpoints = {
  listDefaultCards: endpoint({
    method: 'get',
    path: '/v2/payments/cards/default',
    summary: 'Get the default card of each currency',
    auth: openToActors('payments:read', consumer()),
    status: 200,
    response: DefaultCards,
    errors: [],
    handler: ({ caller }) => cards.listDefaultCards(caller),
  }),
  setDefaultCard: endpoint({
    method: 'put',
    path: '/v2/payments/cards/default',
    summary: 'Set the default card of a currency, also for running subscriptions',
    auth: consumer(),
    body: DefaultCardBody,
    cardNumberFields: ['number'],
    status: 200,
    response: TypedCard,
    errors: ['missing_parameter', 'provider_misconfigured'],
    handler: ({ caller, body, request }) => cards.setDefaultCard(caller, body, request.requestId),
  }),
  listPaymentMethods: endpoint({
    method: 'get',
    path: '/payments/methods',
    summary: 'List the payment methods',
    auth: openToActors('payments:read', consumer()),
    status: 200,
    response: PaymentMethods,
    errors: [],
    handler: ({ caller }) => cards.listPaymentMethods(caller),
  }),
  listPaymentTools: endpoint({
    method: 'get',
    path: '/payments/method/{id}/tools',
    summary: 'List the stored cards (legacy clients)',
    auth: openToActors('payments:read', consumer()),
    params: MethodPath,
    status: 200,
    response: PaymentTools,
    errors: ['not_found'],
    handler: ({ caller, params }) => cards.listPaymentTools(caller, params.id),
  }),
};
