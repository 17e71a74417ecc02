import { z } from 'zod';
import { merchant } from '../../kit/auth';
import { page } from '../../kit/pages/page';
import { reportExportEndpoints } from '../../reports/exports/endpoints';
import { reportRowEndpoints } from '../../reports/rows/endpoints';
import { fieldsOf } from './fields';
import { inConsole } from './frame';
import { given } from './lists';

/** What the rows behind a report were asked by goes for their file, too. */
const Filters = fieldsOf([
  ...['from', 'to', 'currency', 'item_id', 'account_id', 'type', 'access_fee_id', 'country_iso', 'payment_method'],
  ...['voucher_code', 'kind'],
]);

export const csvPages = {
  downloadList: page({
    ...inConsole,
    auth: merchant('reports:read'),
    method: 'get',
    path: '/console/csv/{list}',
    summary: 'A whole list as CSV',
    params: z.object({ list: z.string() }),
    query: Filters,
    handler: ({ params, query, file }) =>
      params.list === 'transactions'
        ? file(reportRowEndpoints.listReportTransactions, { query: { ...given(query), format: 'csv' } })
        : file(reportExportEndpoints.exportList, { params }),
  }),
};
