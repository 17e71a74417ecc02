import { merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { OssCsv, OssQuery, TaxReport, TaxReportQuery } from './taxSums.schemas';
import { getOssReturn } from './ossReturns';
import * as taxSums from './taxSums';

export const taxReportEndpoints = {
  getTaxReport: endpoint({
    method: 'get',
    path: '/reporting/tax',
    summary: 'Sum the tax of a quarter or a year by treatment, country, region, rate and currency',
    auth: merchant('reports:read'),
    query: TaxReportQuery,
    status: 200,
    response: TaxReport,
    errors: ['missing_parameter'],
    handler: ({ caller, query }) => taxSums.getTaxReport(caller, query),
  }),
  getOssReturn: endpoint({
    method: 'get',
    path: '/reporting/tax/oss',
    summary: 'Get the sums for the return of the one stop shop of a quarter in euro as CSV',
    auth: withRecentFactor(merchant('reports:read')),
    query: OssQuery,
    status: 200,
    response: OssCsv,
    produces: 'text/csv',
    errors: [],
    handler: ({ caller, query }) => getOssReturn(caller, query),
  }),
};
