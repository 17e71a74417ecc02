import { consumer, merchant, openToActors } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import {
  AdjustmentBody,
  BalanceMovement,
  BalanceMovements,
  BalanceMovementsQuery,
  Balances,
  CustomerPath,
} from './movements.schemas';
import * as movements from './movements';

export const balanceEndpoints = {
  listOwnBalances: endpoint({
    method: 'get',
    path: '/v2/accounting/balances',
    summary: 'List the account’s balances, by currency',
    auth: openToActors('payments:read', consumer()),
    status: 200,
    response: Balances,
    errors: [],
    handler: ({ caller }) => movements.listOwnBalances(caller),
  }),
  listCustomerBalances: endpoint({
    method: 'get',
    path: '/v2/accounts/customers/{id}/balances',
    summary: 'List a customer’s balances, by currency',
    auth: merchant('payments:read'),
    params: CustomerPath,
    status: 200,
    response: Balances,
    errors: ['account_not_found'],
    handler: ({ caller, params }) => movements.listCustomerBalances(caller, params.id),
  }),
  listBalanceMovements: endpoint({
    method: 'get',
    path: '/v2/accounts/customers/{id}/balances/movements',
    summary: 'List the movements of a customer’s balances with their reasons, newest first',
    auth: merchant('payments:read'),
    params: CustomerPath,
    query: BalanceMovementsQuery,
    status: 200,
    response: BalanceMovements,
    errors: ['account_not_found'],
    handler: ({ caller, params, query }) => movements.listBalanceMovements(caller, params.id, query),
  }),
  adjustBalance: endpoint({
    method: 'post',
    path: '/v2/accounts/customers/{id}/balances/movements',
    summary: 'Adjust a customer’s balance, which the next charge settles',
    auth: merchant('payments:write'),
    params: CustomerPath,
    body: AdjustmentBody,
    status: 201,
    response: BalanceMovement,
    errors: ['account_not_found'],
    handler: ({ caller, params, body, request }) => movements.adjustBalance(caller, params.id, body, request.requestId),
  }),
};
