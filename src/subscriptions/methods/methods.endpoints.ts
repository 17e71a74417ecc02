import { consumer, openToActors } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { MethodQuery, PaymentMethods } from './methods.schemas';
import * as methods from './methods';

export const methodEndpoints = {
  listPaymentMethods: endpoint({
    method: 'get',
    path: '/payments/methods',
    summary: 'List the payment methods of a visitor, for an item, a fee or a currency if one is named',
    auth: openToActors('payments:read', consumer()),
    query: MethodQuery,
    status: 200,
    response: PaymentMethods,
    errors: ['item_not_found', 'access_fee_not_found'],
    handler: ({ caller, query }) => methods.listPaymentMethods(caller, query),
  }),
};
