import { anyone, optionalAuth } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { OwnedPlanPage, PlanPage, PlanPath, PricePage, SitePath, SiteQuery } from './sites.schemas';
import * as sites from './sites';

export const siteEndpoints = {
  listPlans: endpoint({
    method: 'get',
    path: '/v3/sites/{site_id}/plans',
    summary: 'List the merchant’s items with subscriptions',
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
    summary: 'List the prices of an item’s subscriptions in the visitor’s country',
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
    summary: 'List the items that the token’s account has access to; empty without a valid token',
    auth: optionalAuth(),
    params: SitePath,
    query: SiteQuery,
    status: 200,
    response: OwnedPlanPage,
    errors: ['account_not_found'],
    handler: ({ params, query, request }) => sites.listEntitlements(params.site_id, query, request),
  }),
};
