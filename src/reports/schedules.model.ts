import { bytes, defaulted, integer, modelOf, serial, text, time } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

export type Cadence = 'daily' | 'weekly' | 'monthly';

export class ReportSchedule extends modelOf({
  id: serial(),
  merchantId: integer(),
  /** The id of its Temporal schedule. */
  token: text(),
  report: text(),
  cadence: text<Cadence>(),
  timeZone: text(),
  language: text(),
  /** A list of addresses as JSON. */
  sealedRecipients: bytes(),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
ReportSchedule.init(ReportSchedule.columns, { sequelize, tableName: 'report_schedules' });

const nextDueStatement = statement(
  'report_schedule_next_due',
  `UPDATE report_schedules SET next_due_at = (
     SELECT min(at) FROM (
       SELECT (date_trunc($2, $5::timestamptz AT TIME ZONE $3) + n * ('1 ' || $2)::interval + make_interval(hours => $4))
         AT TIME ZONE $3 AS at
       FROM generate_series(0, 1) AS n
     ) AS times WHERE at > $5)
   WHERE id = $1 AND (next_due_at <= $5 OR NOT $6)`,
);

const units: Record<Cadence, string> = { daily: 'day', weekly: 'week', monthly: 'month' };

/** Sets the due time to the first one after `after`. With `isDone` it is never moved back. */
export async function setNextDue(
  { id, cadence, timeZone, hour }: Pick<ReportSchedule, 'id' | 'cadence' | 'timeZone'> & { hour: number },
  { after, isDone = false }: { after: Date; isDone?: boolean },
  inTransaction?: Transaction,
): Promise<void> {
  await nextDueStatement([id, units[cadence], timeZone, hour, after, isDone], inTransaction);
}
