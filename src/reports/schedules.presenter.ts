import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type ReportSchedule } from './schedules.model';
import { type ReportScheduleResponse } from './schedules.schemas';

type Response = z.output<typeof ReportScheduleResponse>;

export function presentReportSchedule(
  schedule: ReportSchedule,
  { recipients, recipient_states, hour }: Pick<Response, 'recipients' | 'recipient_states' | 'hour'>,
): Response {
  return {
    id: schedule.id,
    // The row was written from the same schema.
    report: schedule.report as Response['report'],
    cadence: schedule.cadence,
    recipients,
    recipient_states,
    time_zone: schedule.timeZone,
    hour,
    language: schedule.language as Response['language'],
    created_at: unixSeconds(schedule.createdAt),
    updated_at: unixSeconds(schedule.updatedAt),
  };
}
