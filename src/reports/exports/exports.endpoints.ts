import { merchant, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Csv, ExportPath, ExportQuery } from './exports.schemas';
import * as files from './exports';

export const reportExportEndpoints = {
  exportList: endpoint({
    method: 'get',
    path: '/reporting/exports/{list}',
    summary: 'Export a whole list as streamed CSV, with the filters of the list',
    auth: withRecentFactor(merchant('reports:read')),
    params: ExportPath,
    query: ExportQuery,
    status: 200,
    response: Csv,
    produces: 'text/csv',
    errors: [
      'not_found',
      'account_not_found',
      'item_not_found',
      'access_code_not_found',
      'voucher_not_found',
      'webhook_not_found',
      'feature_disabled',
    ],
    handler: ({ caller, params, query }) => files.exportList(caller, params.list, query),
  }),
};
