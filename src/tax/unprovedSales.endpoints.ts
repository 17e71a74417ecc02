import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { UnprovedSales, UnprovedSalesQuery } from './unprovedSales.schemas';
import * as unprovedSales from './unprovedSales';

export const unprovedSaleEndpoints = {
  listUnprovedSales: endpoint({
    method: 'get',
    path: '/reporting/tax/unproved',
    summary: 'The paid sales whose country no two pieces of evidence name',
    auth: merchant('reports:read'),
    query: UnprovedSalesQuery,
    status: 200,
    response: UnprovedSales,
    errors: [],
    handler: ({ caller, query }) => unprovedSales.listUnprovedSales(caller, query),
  }),
};
