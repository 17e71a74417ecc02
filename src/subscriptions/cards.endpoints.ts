import { consumer, openToActors } from '../kit/auth';
import { endpoint, variant } from '../kit/endpoint';
import { isSent } from '../kit/validate';
import {
  ContinueBody,
  DefaultCardBody,
  DefaultCards,
  MethodPath,
  PaymentTools,
  TypedCard,
  WaitingCard,
} from './cards.schemas';
import * as cards from './cards';
import * as defaultCards from './setups/defaultCards';

const asConsumer = { auth: consumer() } as const;

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
    ...asConsumer,
    body: DefaultCardBody,
    cardNumberFields: ['number'],
    status: 200,
    response: TypedCard,
    pending: WaitingCard,
    errors: [
      'missing_parameter',
      'payment_method_not_offered',
      'provider_misconfigured',
      'payment_failed',
      'payment_not_found',
    ],
    instead: variant(asConsumer, {
      summary: 'Continue after an authentication of the card',
      isMeant: ({ fields }) => isSent(fields['pi_id']),
      body: ContinueBody,
      handler: ({ caller, body, request }) => defaultCards.continueDefaultCard(caller, body.pi_id, request.requestId),
    }),
    handler: ({ caller, body, request }) => defaultCards.setDefaultCard(caller, body, request.requestId),
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
