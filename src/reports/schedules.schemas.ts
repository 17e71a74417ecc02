import { z } from 'zod';
import { TimeZone } from '../kit/timeZones';
import { formEmail, formId, formList, normalizeEmail } from '../kit/form';
import { consoleLanguages } from '../kit/languages';

/** The reports that are available as files. */
export const reports = [
  'summary',
  'revenue',
  'subscriptions',
  'mrr',
  'customers',
  'trials',
  'dunning',
  'transactions',
] as const;
export const cadences = ['daily', 'weekly', 'monthly'] as const;

const Recipients = formList(formEmail(), 10).refine(
  (list) => list.length > 0 && new Set(list.map(normalizeEmail)).size === list.length,
  'must be one or more different addresses',
);

export const CreateReportScheduleBody = z.object({
  report: z.enum(reports),
  cadence: z.enum(cadences),
  recipients: Recipients,
  time_zone: TimeZone.default('UTC'),
  language: z.enum(consoleLanguages).default('en'),
});

/** Absent fields stay unchanged. */
export const UpdateReportScheduleBody = z.object({
  report: z.enum(reports).optional(),
  cadence: z.enum(cadences).optional(),
  recipients: Recipients.optional(),
  time_zone: TimeZone.optional(),
  language: z.enum(consoleLanguages).optional(),
});

export const ReportScheduleId = z.object({ id: formId() });

/** `hour`: the hour of the mail in the time zone. Times are Unix seconds. */
export const ReportScheduleResponse = z.object({
  id: z.int(),
  report: z.enum(reports),
  cadence: z.enum(cadences),
  recipients: z.array(z.string()),
  time_zone: z.string(),
  hour: z.int(),
  language: z.enum(consoleLanguages),
  created_at: z.int(),
  updated_at: z.int(),
});

export const ReportScheduleList = z.object({ total: z.int(), collection: z.array(ReportScheduleResponse) });
