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
/**
 * `awaiting_confirmation`: somebody outside the merchant's account and staff who has not agreed yet. `stopped`: the
 * recipient wants no reports of the merchant. Only `confirmed` recipients receive the report.
 */
export const recipientStates = ['awaiting_confirmation', 'confirmed', 'stopped'] as const;
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

/**
 * `recipient_states`: the addresses of `recipients` with their states, in the same order. `hour`: the hour of the mail in
 * the time zone. Times are Unix seconds.
 */
export const ReportScheduleResponse = z.object({
  id: z.int(),
  report: z.enum(reports),
  cadence: z.enum(cadences),
  recipients: z.array(z.string()),
  recipient_states: z.array(z.object({ address: z.string(), state: z.enum(recipientStates) })),
  time_zone: z.string(),
  hour: z.int(),
  language: z.enum(consoleLanguages),
  created_at: z.int(),
  updated_at: z.int(),
});

export const ReportScheduleList = z.object({ total: z.int(), collection: z.array(ReportScheduleResponse) });
