import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import {
  Movements,
  MovementsQuery,
  TransactionsOrCsv,
  TransactionsQuery,
  Transitions,
  TransitionsQuery,
} from './rows.schemas';
import { asReport } from './replicas';
import * as rows from './rows';

const list = { method: 'get', auth: merchant('reports:read'), status: 200, errors: [] } as const;

export const reportRowEndpoints = {
  listMovements: endpoint({
    ...list,
    path: '/reporting/movements',
    summary: 'The ledger of monthly recurring revenue, newest first',
    query: MovementsQuery,
    response: Movements,
    handler: ({ caller, query }) => asReport(() => rows.listMovements(caller, query)),
  }),
  listTransitions: endpoint({
    ...list,
    path: '/reporting/transitions',
    summary: 'The transitions of subscriptions, newest first',
    query: TransitionsQuery,
    response: Transitions,
    handler: ({ caller, query }) => asReport(() => rows.listTransitions(caller, query)),
  }),
  listReportTransactions: endpoint({
    ...list,
    path: '/reporting/transactions',
    summary: 'Payments and refunds, newest first; with `format=csv` all of them as a stream',
    query: TransactionsQuery,
    errors: ['recent_factor_required', 'recent_password_required'],
    response: TransactionsOrCsv,
    handler: ({ caller, query, request }) => rows.listOrStreamTransactions(caller, query, request),
  }),
};
