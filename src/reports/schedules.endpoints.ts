import { inPerson, merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  CreateReportScheduleBody,
  ReportScheduleId,
  ReportScheduleList,
  ReportScheduleResponse,
  UpdateReportScheduleBody,
} from './schedules.schemas';
import * as schedules from './schedules';

export const reportScheduleEndpoints = {
  createReportSchedule: endpoint({
    feature: 'scheduled_reports',
    method: 'post',
    path: '/reporting/schedules',
    summary: 'Schedule a report to be mailed every day, week or month',
    auth: withRecentFactor(merchant('reports:read')),
    body: CreateReportScheduleBody,
    status: 201,
    response: ReportScheduleResponse,
    errors: ['report_schedule_limit_reached', 'report_recipient_limit_reached'],
    handler: ({ caller, body, request }) => schedules.createReportSchedule(caller, body, request),
  }),
  listReportSchedules: endpoint({
    feature: 'scheduled_reports',
    method: 'get',
    path: '/reporting/schedules',
    summary: 'The scheduled reports',
    auth: merchant('reports:read'),
    status: 200,
    response: ReportScheduleList,
    errors: [],
    handler: ({ caller }) => schedules.listReportSchedules(caller),
  }),
  getReportSchedule: endpoint({
    feature: 'scheduled_reports',
    method: 'get',
    path: '/reporting/schedules/{id}',
    summary: 'One scheduled report',
    auth: merchant('reports:read'),
    params: ReportScheduleId,
    status: 200,
    response: ReportScheduleResponse,
    errors: ['report_schedule_not_found'],
    handler: ({ caller, params }) => schedules.getReportSchedule(caller, params.id),
  }),
  updateReportSchedule: endpoint({
    feature: 'scheduled_reports',
    method: 'patch',
    path: '/reporting/schedules/{id}',
    summary: 'Change a scheduled report; another report or other recipients require a recent confirmation',
    auth: inPerson(merchant('reports:read')),
    params: ReportScheduleId,
    body: UpdateReportScheduleBody,
    status: 200,
    response: ReportScheduleResponse,
    errors: [
      'report_schedule_not_found',
      'report_recipient_limit_reached',
      'recent_factor_required',
      'recent_password_required',
    ],
    handler: ({ caller, params, body, request }) => schedules.updateReportSchedule(caller, params.id, body, request),
  }),
  deleteReportSchedule: endpoint({
    feature: 'scheduled_reports',
    method: 'delete',
    path: '/reporting/schedules/{id}',
    summary: 'Delete a scheduled report',
    auth: withRecentFactor(merchant('reports:read')),
    params: ReportScheduleId,
    status: 200,
    response: Message,
    errors: ['report_schedule_not_found'],
    handler: ({ caller, params, request }) => schedules.deleteReportSchedule(caller, params.id, request),
  }),
};
