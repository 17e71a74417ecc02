/** A report that is mailed again and again; started by its own schedule. */
export interface ScheduledReportInput {
  /** The row's id. */
  scheduleId: number;
  /** Its name in the ids of its runs. */
  token: string;
}

/** Which period is to be mailed: the last one that was over at this time. */
export interface ReportMailingInput extends ScheduledReportInput {
  atMs: number;
}

/**
 * Days in UTC, both inclusive. `repeated`: the period was mailed before. `ended`: the schedule was deleted. `off`:
 * the merchant has turned mailed reports off.
 */
export type ReportMailed =
  { state: 'mailed' | 'repeated'; from: string; to: string } | { state: 'ended' } | { state: 'off' };

/** When a schedule starts its workflow, by the clocks of a time zone. */
export interface ScheduleTimes {
  hour: number;
  timeZone: string;
  /** Absent: on every day. */
  on?: { dayOfWeek: 'MONDAY' } | { dayOfMonth: 1 };
}

/** What the workflow server is to keep for a row: a schedule, its times and what it starts. */
export interface ScheduleOrder {
  times: ScheduleTimes;
  input: ScheduledReportInput;
}

/** A schedule, and what the ids of its runs begin with. */
export const reportScheduleId = (token: string) => `report-${token}`;
/** Words for the workflow server itself, in the order of those for runs: to have a schedule as it is said, or no more. */
export const keepScheduleSignal = 'keepSchedule';
export const endScheduleSignal = 'endSchedule';
