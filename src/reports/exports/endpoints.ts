import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Csv, ExportPath } from './schemas';
import * as files from './service';

export const reportExportEndpoints = {
  exportList: endpoint({
    method: 'get',
    path: '/reporting/exports/{list}',
    summary: 'A whole list as CSV, streamed',
    auth: merchant('reports:read'),
    params: ExportPath,
    status: 200,
    response: Csv,
    produces: 'text/csv',
    errors: ['not_found'],
    handler: ({ caller, params }) => files.exportList(caller, params.list),
  }),
};
