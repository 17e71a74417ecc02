import { inPerson, merchant, signedInWith, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  AnalyticsFile,
  AnalyticsFilePath,
  Audience,
  EventBody,
  Funnel,
  ItemEvents,
  RangeQuery,
} from './analytics.schemas';
import * as analytics from './analytics';
import { exportAnalytics } from './files';

const report = {
  method: 'get',
  auth: merchant('reports:read'),
  query: RangeQuery,
  status: 200,
  errors: [],
} as const;

export const analyticsEndpoints = {
  createAnalyticsEvent: endpoint({
    feature: 'analytics',
    method: 'post',
    path: '/analytics/events',
    summary: 'Report an action of a visitor',
    // An action of somebody who acts as the customer is no action of the customer.
    auth: inPerson(signedInWith('reports:read')),
    body: EventBody,
    status: 202,
    response: Message,
    errors: ['item_not_found'],
    handler: ({ caller, body, request }) => analytics.createEvent(caller, body, request),
  }),
  getFunnel: endpoint({
    feature: 'analytics',
    ...report,
    path: '/analytics/funnel',
    summary: 'The numbers of visitors who saw an item, registered and paid',
    response: Funnel,
    handler: ({ caller, query }) => analytics.getFunnel(caller, query),
  }),
  listItemEvents: endpoint({
    feature: 'analytics',
    ...report,
    path: '/analytics/items',
    summary: 'The actions of visitors at each item',
    response: ItemEvents,
    handler: ({ caller, query }) => analytics.listItemEvents(caller, query),
  }),
  getAudience: endpoint({
    feature: 'analytics',
    ...report,
    path: '/analytics/audience',
    summary: 'The countries and devices of visitors',
    response: Audience,
    handler: ({ caller, query }) => analytics.getAudience(caller, query),
  }),
  exportAnalytics: endpoint({
    feature: 'analytics',
    ...report,
    path: '/analytics/exports/{file}',
    summary: 'Export the funnel, the countries and devices of visitors, or the actions at each item as CSV',
    auth: withRecentFactor(merchant('reports:read')),
    params: AnalyticsFilePath,
    response: AnalyticsFile,
    produces: 'text/csv',
    handler: ({ caller, params, query }) => exportAnalytics(caller, params.file, query),
  }),
};
