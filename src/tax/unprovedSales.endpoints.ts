import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { UnprovedSales, UnprovedSalesQuery } from './unprovedSales.schemas';
import * as unprovedSales from './unprovedSales';

export const unprovedSaleEndpoints = {
  listUnprovedSales: endpoint({
    method: 'get',
    path: '/reporting/tax/unproved',
    summary: 'List the paid sales whose country is not proved by two matching pieces of evidence',
    auth: merchant('reports:read'),
    query: UnprovedSalesQuery,
    status: 200,
    response: UnprovedSales,
    errors: [],
    handler: ({ caller, query }) => unprovedSales.listUnprovedSales(caller, query),
  }),
};
