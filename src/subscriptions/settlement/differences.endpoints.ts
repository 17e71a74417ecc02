import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import * as balances from './balanceTransactions';
import * as differences from './differences';
import {
  BalanceTransactionPage,
  BalanceTransactionsQuery,
  DifferencePage,
  DifferencePath,
  DifferenceResponse,
  DifferencesQuery,
  ResolutionBody,
} from './differences.schemas';

export const differenceEndpoints = {
  listBalanceTransactions: endpoint({
    method: 'get',
    path: '/payments/balance-transactions',
    summary: 'List charges, refunds, disputes, fees and payouts as the payment provider booked them',
    auth: merchant('payments:read'),
    query: BalanceTransactionsQuery,
    status: 200,
    response: BalanceTransactionPage,
    errors: [],
    handler: ({ caller, query }) => balances.listBalanceTransactions(caller, query),
  }),
  listDifferences: endpoint({
    method: 'get',
    path: '/payments/differences',
    summary: 'List differences between the books of the payment provider and of this service',
    auth: merchant('payments:read'),
    query: DifferencesQuery,
    status: 200,
    response: DifferencePage,
    errors: [],
    handler: ({ caller, query }) => differences.listDifferences(caller, query),
  }),
  getDifference: endpoint({
    method: 'get',
    path: '/payments/differences/{id}',
    summary: 'Get a difference with the actions that resolve it',
    auth: merchant('payments:read'),
    params: DifferencePath,
    status: 200,
    response: DifferenceResponse,
    errors: ['difference_not_found'],
    handler: ({ caller, params }) => differences.getDifference(caller, params.id),
  }),
  resolveDifference: endpoint({
    method: 'post',
    path: '/payments/differences/{id}/resolution',
    summary: 'Resolve a difference: record the provider’s movement, refund it, or accept it with a note',
    auth: merchant('payments:write'),
    params: DifferencePath,
    body: ResolutionBody,
    status: 200,
    response: DifferenceResponse,
    errors: [
      'difference_not_found',
      'difference_closed',
      'invalid_input',
      'recent_factor_required',
      'recent_password_required',
      'service_unavailable',
    ],
    handler: ({ caller, params, body, request }) =>
      differences.resolveDifference(caller, params.id, body, request.requestId),
  }),
};
