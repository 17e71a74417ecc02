import { merchant, signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { Audience, EventBody, Funnel, ItemEvents, RangeQuery } from './schemas';
import * as analytics from './service';

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
    summary: 'Tell what a visitor did',
    auth: signedInWith('reports:read'),
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
    summary: 'How many visitors saw, registered and paid',
    response: Funnel,
    handler: ({ caller, query }) => analytics.getFunnel(caller, query),
  }),
  listItemEvents: endpoint({
    feature: 'analytics',
    ...report,
    path: '/analytics/items',
    summary: 'What visitors did at each item',
    response: ItemEvents,
    handler: ({ caller, query }) => analytics.listItemEvents(caller, query),
  }),
  getAudience: endpoint({
    feature: 'analytics',
    ...report,
    path: '/analytics/audience',
    summary: 'Where visitors are, and on what device',
    response: Audience,
    handler: ({ caller, query }) => analytics.getAudience(caller, query),
  }),
};
