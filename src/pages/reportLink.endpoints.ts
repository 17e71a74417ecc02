import { z } from 'zod';
import { endpoint } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { answerQuestion, isAnswerable } from '../reports/confirmationLinks';
import { isStoppable, stopReports } from '../reports/stopLinks';
import { mailLinkPage } from './customer/mailLinkPages';
import { reportAnsweredPage, reportConfirmationPage, reportStopPage, reportsStoppedPage } from './reportLink';

/** The pages behind the links in mails about scheduled reports. Their reader is often no customer, so they have no brand. */
const page = { ...mailLinkPage(() => Promise.resolve(undefined)), errors: ['report_schedule_not_found'] } as const;
const atStop = { ...page, path: '/reporting/stop/{token}' } as const;
const atConfirmation = { ...page, path: '/reporting/confirm/{token}' } as const;

const Answer = z.object({ answer: z.enum(['confirm', 'decline']) });

export const reportLinkEndpoints = {
  showReportStop: endpoint({
    ...atStop,
    method: 'get',
    summary: 'The page where a recipient ends the mails of scheduled reports, without an account',
    handler: async ({ params: { token }, request }) => {
      if (!(await isStoppable(token))) throw new AppError('report_schedule_not_found');
      return reportStopPage(request);
    },
  }),
  submitReportStop: endpoint({
    ...atStop,
    method: 'post',
    summary: 'Ends all scheduled reports of the merchant for the recipient',
    handler: async ({ params: { token }, request }) => {
      await stopReports(token, request);
      return reportsStoppedPage(request);
    },
  }),
  showReportConfirmation: endpoint({
    ...atConfirmation,
    method: 'get',
    summary: 'The page where a new recipient agrees to scheduled reports or declines them, without an account',
    handler: async ({ params: { token }, request }) => {
      if (!(await isAnswerable(token))) throw new AppError('report_schedule_not_found');
      return reportConfirmationPage(request);
    },
  }),
  submitReportConfirmation: endpoint({
    ...atConfirmation,
    method: 'post',
    summary: 'Starts the scheduled reports of the merchant for the recipient, or ends them',
    body: Answer,
    handler: async ({ params: { token }, body: { answer }, request }) => {
      await answerQuestion(token, answer, request);
      return reportAnsweredPage(answer, request);
    },
  }),
};
