import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { asReport } from '../replicas';
import * as books from './books';
import {
  DeferredRevenue,
  DeferredRevenueQuery,
  Journal,
  JournalQuery,
  TrialBalance,
  TrialBalanceQuery,
} from './books.schemas';

const report = { method: 'get', auth: merchant('reports:read'), status: 200, errors: [] } as const;

export const bookEndpoints = {
  getTrialBalance: endpoint({
    ...report,
    path: '/reporting/books/trial-balance',
    summary: 'The accounts of the journal: balances before and after some days, with the debits and credits between',
    query: TrialBalanceQuery,
    response: TrialBalance,
    handler: ({ caller, query }) => books.getTrialBalance(caller, query),
  }),
  listJournal: endpoint({
    ...report,
    path: '/reporting/books/journal',
    summary: 'The entries of the double-entry journal, newest first',
    query: JournalQuery,
    response: Journal,
    handler: ({ caller, query }) => books.listJournal(caller, query),
  }),
  getDeferredRevenue: endpoint({
    ...report,
    path: '/reporting/books/deferred-revenue',
    summary: 'The deferred revenue at the end of a day, and the months in which it becomes revenue',
    query: DeferredRevenueQuery,
    response: DeferredRevenue,
    handler: ({ caller, query }) => asReport(() => books.getDeferredRevenue(caller, query)),
  }),
};
