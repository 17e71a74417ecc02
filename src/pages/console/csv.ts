import { z } from 'zod';
import { analyticsEndpoints } from '../../analytics/analytics.endpoints';
import { isAnalyticsFile } from '../../analytics/files';
import { merchant } from '../../kit/auth';
import { page, type PageResponse, type Visit } from '../../kit/pages/page';
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
    handler: (visit) => fileOf(visit),
  }),
};

type FileVisit = Visit & { params: { list: string }; query: z.output<typeof Filters> };

function fileOf({ params: { list }, query, file }: FileVisit): Promise<PageResponse> {
  if (list === 'transactions')
    return file(reportRowEndpoints.listReportTransactions, { query: { ...query, format: 'csv' } });
  if (isAnalyticsFile(list)) return file(analyticsEndpoints.exportAnalytics, { params: { file: list }, query });
  return file(reportExportEndpoints.exportList, { params: { list }, query });
}
