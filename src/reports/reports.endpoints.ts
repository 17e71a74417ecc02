import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import {
  Cohorts,
  Customers,
  Definitions,
  Dunning,
  Mrr,
  RangeQuery,
  Revenue,
  RevenueQuery,
  SeriesQuery,
  Subscriptions,
  Summary,
  Trials,
} from './reports.schemas';
import { asReport } from './replicas';
import * as reports from './reports';

const report = { method: 'get', auth: merchant('reports:read'), status: 200, errors: [] } as const;

export const reportEndpoints = {
  getSummary: endpoint({
    ...report,
    path: '/reporting/summary',
    summary: 'The numbers of a range: revenue, MRR, churn, conversion',
    query: RangeQuery,
    response: Summary,
    handler: ({ caller, query }) => asReport(() => reports.getSummary(caller, query)),
  }),
  getRevenue: endpoint({
    ...report,
    path: '/reporting/revenue',
    summary: 'Revenue by interval, and by item, fee, country, payment method or voucher',
    query: RevenueQuery,
    response: Revenue,
    handler: ({ caller, query }) => asReport(() => reports.getRevenue(caller, query)),
  }),
  getSubscriptionReport: endpoint({
    ...report,
    path: '/reporting/subscriptions',
    summary: 'How many subscriptions began, renewed and ended, by interval',
    query: SeriesQuery,
    response: Subscriptions,
    handler: ({ caller, query }) => asReport(() => reports.getSubscriptionReport(caller, query)),
  }),
  getMrr: endpoint({
    ...report,
    path: '/reporting/mrr',
    summary: 'The changes of the monthly recurring revenue, by interval',
    query: SeriesQuery,
    response: Mrr,
    handler: ({ caller, query }) => asReport(() => reports.getMrr(caller, query)),
  }),
  getCustomerReport: endpoint({
    ...report,
    path: '/reporting/customers',
    summary: 'Paying customers, and the revenue of an average one in a month and in total',
    query: SeriesQuery,
    response: Customers,
    handler: ({ caller, query }) => asReport(() => reports.getCustomerReport(caller, query)),
  }),
  getTrialReport: endpoint({
    ...report,
    path: '/reporting/trials',
    summary: 'Trials begun, converted and lost, by interval',
    query: SeriesQuery,
    response: Trials,
    handler: ({ caller, query }) => asReport(() => reports.getTrialReport(caller, query)),
  }),
  getDunningReport: endpoint({
    ...report,
    path: '/reporting/dunning',
    summary: 'Failed renewals, recovered and lost, by interval',
    query: SeriesQuery,
    response: Dunning,
    handler: ({ caller, query }) => asReport(() => reports.getDunningReport(caller, query)),
  }),
  getCohorts: endpoint({
    ...report,
    path: '/reporting/cohorts',
    summary: 'Retention by the month in which subscriptions began',
    query: RangeQuery,
    response: Cohorts,
    handler: ({ caller, query }) => asReport(() => reports.getCohorts(caller, query)),
  }),
  listDefinitions: endpoint({
    ...report,
    path: '/reporting/definitions',
    summary: 'What each number means, and where its rows are',
    response: Definitions,
    handler: () => reports.listDefinitions(),
  }),
};
