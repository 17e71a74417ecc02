import { consumer } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { DefaultCardBody, DefaultCards, MethodPath, PaymentMethods, PaymentTools, TypedCard } from './schemas';
import * as cards from './service';

export const cardEndpoints = {
  listDefaultCards: endpoint({
    method: 'get',
    path: '/v2/payments/cards/default',
    summary: 'The card that pays in each currency',
    auth: consumer(),
    status: 200,
    response: DefaultCards,
    errors: [],
    handler: ({ caller }) => cards.listDefaultCards(caller),
  }),
  setDefaultCard: endpoint({
    method: 'put',
    path: '/v2/payments/cards/default',
    summary: 'Pay by another card in a currency, for running subscriptions too',
    auth: consumer(),
    body: DefaultCardBody,
    cardNumberFields: ['number'],
    status: 200,
    response: TypedCard,
    errors: ['missing_parameter'],
    handler: ({ caller, body, request }) => cards.setDefaultCard(caller, body, request.requestId),
  }),
  listPaymentMethods: endpoint({
    method: 'get',
    path: '/payments/methods',
    summary: 'How one may pay',
    auth: consumer(),
    status: 200,
    response: PaymentMethods,
    errors: [],
    handler: ({ caller }) => cards.listPaymentMethods(caller),
  }),
  listPaymentTools: endpoint({
    method: 'get',
    path: '/payments/method/{id}/tools',
    summary: 'The stored cards, for the oldest clients',
    auth: consumer(),
    params: MethodPath,
    status: 200,
    response: PaymentTools,
    errors: ['not_found'],
    handler: ({ caller, params }) => cards.listPaymentTools(caller, params.id),
  }),
};
