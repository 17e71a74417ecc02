import { anyone, forgiving } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { OwnedPlanPage, PlanPage, PlanPath, PricePage, SitePath, SiteQuery } from './schemas';
import * as sites from './service';

export const siteEndpoints = {
  listPlans: endpoint({
    method: 'get',
    path: '/v3/sites/{site_id}/plans',
    summary: 'The merchant’s items that can be subscribed to',
    auth: anyone(),
    params: SitePath,
    query: SiteQuery,
    status: 200,
    response: PlanPage,
    errors: ['account_not_found'],
    handler: ({ params, query, request }) => sites.listPlans(params.site_id, query, request),
  }),
  listPrices: endpoint({
    method: 'get',
    path: '/v3/sites/{site_id}/plans/{plan_id}/prices',
    summary: 'What a subscription to an item costs now, where the visitor is',
    auth: anyone(),
    params: PlanPath,
    query: SiteQuery,
    status: 200,
    response: PricePage,
    errors: ['account_not_found', 'item_not_found'],
    handler: ({ params, query, request }) => sites.listPrices(params.site_id, params.plan_id, query, request),
  }),
  listEntitlements: endpoint({
    method: 'get',
    path: '/v3/sites/{site_id}/entitlements',
    summary: 'What the account of the token has access to now; without one, or with a dead one, nothing',
    auth: forgiving(),
    params: SitePath,
    query: SiteQuery,
    status: 200,
    response: OwnedPlanPage,
    errors: ['account_not_found'],
    handler: ({ params, query, request }) => sites.listEntitlements(params.site_id, query, request),
  }),
};
