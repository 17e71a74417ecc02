/** One mailing of a scheduled report; a Temporal schedule starts it. */
export interface ScheduledReportInput {
  /** The id of the schedule's row. */
  scheduleId: number;
  /** The schedule's name in workflow ids. */
  token: string;
  /** The due time of the mailing; by default the scheduled start. */
  atMs?: number;
}

/** The report covers the last period before `atMs`. */
export interface ReportMailingInput extends ScheduledReportInput {
  atMs: number;
}

/**
 * Days in UTC, both inclusive. `repeated`: the period was mailed before. `unread`: no recipient has agreed to the report.
 * `ended`: the schedule was deleted. `off`: the merchant has turned mailed reports off.
 */
export type ReportMailed =
  { state: 'mailed' | 'repeated' | 'unread'; from: string; to: string } | { state: 'ended' } | { state: 'off' };

/** The times at which a schedule starts its workflow, in a time zone. */
export interface ScheduleTimes {
  hour: number;
  timeZone: string;
  /** Absent: every day. */
  on?: { dayOfWeek: 'MONDAY' } | { dayOfMonth: 1 };
}

/** The Temporal schedule of a row: its times and the input of its workflow. */
export interface ScheduleOrder {
  times: ScheduleTimes;
  input: ScheduledReportInput;
}

/** The id of a schedule. The ids of its runs begin with it. */
export const reportScheduleId = (token: string) => `report-${token}`;
/** The workflow id of a mailing that the schedule did not start. */
export const dueReportWorkflowId = (token: string, dueMs: number) => `${reportScheduleId(token)}-due-${dueMs}`;
/**
 * Outbox messages that create, change or delete a schedule. They are ordered with the messages to the schedule's runs.
 */
export const keepScheduleSignal = 'keepSchedule';
export const endScheduleSignal = 'endSchedule';
