import { consumer, merchant, openToActors } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { PageQuery } from '../kit/page';
import { PaymentHistory, TransactionReport, Transactions, TransactionsQuery } from './histories.schemas';
import * as histories from './histories';

export const historyEndpoints = {
  listPaymentHistory: endpoint({
    method: 'get',
    path: '/v2/accounting/payment-history',
    summary: 'List the account’s payments and refunds, newest first',
    auth: openToActors('payments:read', consumer()),
    query: PageQuery,
    status: 200,
    response: PaymentHistory,
    errors: [],
    handler: ({ caller, query }) => histories.listPaymentHistory(caller, query),
  }),
  listTransactions: endpoint({
    method: 'get',
    path: '/payments/transactions',
    summary: 'List the payments and refunds of the merchant’s customers, newest first',
    auth: merchant('payments:read'),
    query: TransactionsQuery,
    status: 200,
    response: Transactions,
    errors: [],
    handler: ({ caller, query }) => histories.listTransactions(caller, query),
  }),
  reportTransactions: endpoint({
    method: 'get',
    path: '/accounting/report/transactions',
    summary: 'List the transactions with their totals (legacy clients)',
    auth: merchant('payments:read'),
    query: TransactionsQuery,
    status: 200,
    response: TransactionReport,
    errors: [],
    handler: ({ caller, query }) => histories.reportTransactions(caller, query),
  }),
};
