import { endpoint } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { isStoppable, stopReports } from '../reports/stopLinks';
import { mailLinkPage } from './customer/mailLinkPages';
import { reportStopPage, reportsStoppedPage } from './reportLink';

/** The page behind the link in the mail of a scheduled report. Its reader is often no customer, so it has no brand. */
const page = {
  ...mailLinkPage(() => Promise.resolve(undefined)),
  path: '/reporting/stop/{token}',
  errors: ['report_schedule_not_found'],
} as const;

export const reportLinkEndpoints = {
  showReportStop: endpoint({
    ...page,
    method: 'get',
    summary: 'The page where a recipient ends the mails of scheduled reports, without an account',
    handler: async ({ params: { token }, request }) => {
      if (!(await isStoppable(token))) throw new AppError('report_schedule_not_found');
      return reportStopPage(request);
    },
  }),
  submitReportStop: endpoint({
    ...page,
    method: 'post',
    summary: 'Removes the recipient from all scheduled reports of the merchant',
    handler: async ({ params: { token }, request }) => {
      await stopReports(token, request);
      return reportsStoppedPage(request);
    },
  }),
};
