import { z } from 'zod';
import { merchant } from '../../kit/auth';
import { page } from '../../kit/pages/page';
import { reportExportEndpoints } from '../../reports/exports/exports.endpoints';
import { reportRowEndpoints } from '../../reports/rows.endpoints';
import { inConsole } from './frame';

/** The query of the list. The endpoint validates it. */
const Filters = z
  .object({ search: z.array(z.string()).optional(), ids: z.array(z.string()).optional() })
  .catchall(z.string());

export const csvPages = {
  downloadList: page({
    ...inConsole,
    auth: merchant('reports:read'),
    method: 'get',
    path: '/console/csv/{list}',
    summary: 'A list as CSV, with the filters of its page',
    params: z.object({ list: z.string() }),
    query: Filters,
    handler: ({ params, query, file }) =>
      params.list === 'transactions'
        ? file(reportRowEndpoints.listReportTransactions, { query: { ...query, format: 'csv' } })
        : file(reportExportEndpoints.exportList, { params, query }),
  }),
};
