import { consumer, merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { PageQuery } from '../../kit/page';
import { PaymentHistory, TransactionReport, Transactions, TransactionsQuery } from './schemas';
import * as histories from './service';

export const historyEndpoints = {
  listPaymentHistory: endpoint({
    method: 'get',
    path: '/v2/accounting/payment-history',
    summary: 'What the account paid and got back, newest first',
    auth: consumer(),
    query: PageQuery,
    status: 200,
    response: PaymentHistory,
    errors: [],
    handler: ({ caller, query }) => histories.listPaymentHistory(caller, query),
  }),
  listTransactions: endpoint({
    method: 'get',
    path: '/payments/transactions',
    summary: "What the merchant's customers paid and got back, newest first",
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
    summary: 'The transactions with their sums, for the oldest clients',
    auth: merchant('payments:read'),
    query: TransactionsQuery,
    status: 200,
    response: TransactionReport,
    errors: [],
    handler: ({ caller, query }) => histories.reportTransactions(caller, query),
  }),
};
