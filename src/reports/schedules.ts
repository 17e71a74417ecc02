import { randomBytes } from 'node:crypto';
import { type z } from 'zod';
import {
  dueReportWorkflowId,
  endScheduleSignal,
  keepScheduleSignal,
  reportScheduleId,
  type ScheduledReportInput,
  type ScheduleOrder,
} from '../../workflows/messages';
import { enqueue, sendNow, type OutboxRow } from '../adapters/outbox';
import { getOwned, transaction, type Transaction } from '../adapters/postgres/connection';
import { isAtLimit } from '../adapters/postgres/limits';
import { requireRecentFactor } from '../accounts/secondFactors/recentFactors';
import { runSource } from '../adapters/runs';
import { endSchedule, restoreSchedule } from '../adapters/schedules';
import { type RunLabels } from '../adapters/temporal';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { normalizeEmail } from '../kit/form';
import { message } from '../kit/page';
import { askRecipients } from './confirmationLinks';
import { findRecipients, readStates, recipientsOf, type RecipientState, sealRecipients } from './recipients';
import { ReportSchedule, setNextDue, type Cadence } from './schedules.model';
import { presentReportSchedule } from './schedules.presenter';
import { type CreateReportScheduleBody, type UpdateReportScheduleBody } from './schedules.schemas';

export { ReportSchedule, type Cadence, type RecipientState };
export { cadences, reports } from './schedules.schemas';

/**
 * Scheduled reports. Each row has a Temporal schedule, which is updated through the outbox, because the Temporal server
 * may not be available. The recipients are stored only in the row, encrypted.
 */

const mostSchedules = 20;
const earliestHour = 6;

export async function createReportSchedule(
  caller: Caller,
  input: z.output<typeof CreateReportScheduleBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  return changing(caller, 'create', requestId, async (inTransaction) => {
    if (await isAtLimit(ReportSchedule, { merchantId, max: mostSchedules }, inTransaction))
      throw new AppError('report_schedule_limit_reached');
    const token = randomBytes(8).toString('hex');
    const row = { merchantId, token, ...columnsOf(input) };
    const schedule = await ReportSchedule.create(row, { transaction: inTransaction });
    await askRecipients(inTransaction, caller, schedule);
    return schedule;
  });
}

export async function listReportSchedules({ merchantId }: Caller) {
  const schedules = await ReportSchedule.findAll({ where: { merchantId }, order: ['id'] });
  const stateOf = await readStates(merchantId, schedules.flatMap(recipientsOf));
  return { total: schedules.length, collection: schedules.map((schedule) => presentWith(stateOf, schedule)) };
}

export async function getReportSchedule(caller: Caller, scheduleId: number) {
  return present(await getSchedule(caller, scheduleId));
}

/**
 * Reports that were already mailed stay. The new times and addresses apply from now on. Another report or other recipients
 * need a recent confirmation, because a stolen session could otherwise have the figures mailed elsewhere.
 */
export async function updateReportSchedule(
  caller: Caller,
  scheduleId: number,
  input: z.output<typeof UpdateReportScheduleBody>,
  { requestId }: RequestFacts,
) {
  return changing(caller, 'update', requestId, async (inTransaction) => {
    const schedule = await getSchedule(caller, scheduleId, inTransaction);
    const { report, cadence, timeZone, language } = schedule;
    const before = { report, cadence, time_zone: timeZone, language, recipients: recipientsOf(schedule) };
    const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const after = { ...before, ...changes };
    if (changesReaders(before, after)) await requireRecentFactor(caller, inTransaction);
    const columns = columnsOf(after);
    await schedule.update({ ...columns, updatedAt: new Date() }, { transaction: inTransaction });
    if (input.recipients) await askRecipients(inTransaction, caller, schedule);
    return schedule;
  });
}

interface Mailing {
  report: string;
  recipients: readonly string[];
}

/** Whether another report is mailed, or other people receive it. The order of the recipients does not count. */
function changesReaders(before: Mailing, after: Mailing): boolean {
  const people = ({ recipients }: Mailing) => JSON.stringify([...recipients].sort());
  return before.report !== after.report || people(before) !== people(after);
}

export async function deleteReportSchedule(caller: Caller, scheduleId: number, { requestId }: RequestFacts) {
  const promise = await transaction(async (inTransaction) => {
    const schedule = await getSchedule(caller, scheduleId, inTransaction);
    const promised = await remove(inTransaction, schedule);
    await audit(inTransaction, caller, {
      action: 'report_schedule.delete',
      object: ['report_schedule', scheduleId],
      requestId,
    });
    return promised;
  });
  await sendNow(promise);
  return message('Report schedule successfully deleted');
}

type ScheduleToRun = Pick<ReportSchedule, 'id' | 'token' | 'merchantId' | 'report' | 'cadence' | 'timeZone'>;

interface DueSchedule extends ScheduleToRun {
  dueMs: number;
}

/**
 * The schedules that Temporal must have, and the mailings that they did not start. An existing schedule is not changed.
 * A schedule whose row is deleted meanwhile ends with its first run.
 */
export const reportScheduleRuns = runSource<DueSchedule>({
  workflow: 'scheduledReport',
  table: 'report_schedules',
  idPrefix: reportScheduleId(''),
  columns: `r.id, r.token, r.merchant_id AS "merchantId", r.report, r.cadence, r.time_zone AS "timeZone",
    1000 * extract(epoch FROM r.next_due_at)::float8 AS "dueMs"`,
  needsRun: 'true',
  dueAt: 'r.next_due_at',
  clock: 'real',
  runOf: (row) => ({
    workflowId: dueReportWorkflowId(row.token, row.dueMs),
    input: { ...inputOf(row), atMs: row.dueMs },
    labels: labelsOf(row),
  }),
  restore: (row) => restoreSchedule(reportScheduleId(row.token), orderOf(row), labelsOf(row)),
  remove: (row) => endSchedule(reportScheduleId(row.token)),
});

/** Sets the next due time after a report was mailed or skipped: the first one after its due time. */
export async function setDueAfter({ id, cadence, timeZone }: ReportSchedule, atMs: number): Promise<void> {
  await setNextDue({ id, cadence, timeZone, hour: hourOf(timeZone) }, { after: new Date(atMs), isDone: true });
}

/**
 * Removes a person who leaves the merchant from all reports, also at former addresses. A report without recipients is
 * deleted. Each returned message is sent after the commit.
 */
export async function removeRecipient(
  inTransaction: Transaction,
  caller: Pick<Caller, 'merchantId' | 'accountId' | 'clientAddress'>,
  { addresses }: { addresses: readonly string[] },
  { requestId }: Pick<RequestFacts, 'requestId'>,
): Promise<OutboxRow[]> {
  const where = { merchantId: caller.merchantId };
  const schedules = await ReportSchedule.findAll({ where, order: ['id'], transaction: inTransaction, lock: true });
  const promises: OutboxRow[] = [];
  for (const schedule of schedules) {
    const recipients = findRecipients(schedule) ?? [];
    const left = recipients.filter((address) => !addresses.includes(normalizeEmail(address)));
    if (left.length === recipients.length) continue;
    const isOver = left.length === 0;
    const action = `report_schedule.${isOver ? 'delete' : 'update'}` as const;
    await audit(inTransaction, caller, { action, object: ['report_schedule', schedule.id], requestId });
    if (isOver) promises.push(await remove(inTransaction, schedule));
    else {
      const columns = { sealedRecipients: sealRecipients(left), updatedAt: new Date() };
      await schedule.update(columns, { transaction: inTransaction });
    }
  }
  return promises;
}

/** The first hour from six on at which the UTC day is over all year round; reports count UTC days. */
function hourOf(timeZone: string): number {
  const offsets = [0, 6].map((month) => offsetHours(timeZone, new Date(Date.UTC(2026, month, 1))));
  return Math.max(earliestHour, Math.ceil(Math.max(...offsets)));
}

function offsetHours(timeZone: string, at: Date): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (Number(hours) + Number(minutes) / 60) * (sign === '-' ? -1 : 1);
}

async function changing(
  caller: Caller,
  what: 'create' | 'update',
  requestId: string,
  change: (inTransaction: Transaction) => Promise<ReportSchedule>,
) {
  const { promise, schedule } = await transaction(async (inTransaction) => {
    const changed = await change(inTransaction);
    const { id, cadence, timeZone } = changed;
    await setNextDue({ id, cadence, timeZone, hour: hourOf(timeZone) }, { after: new Date() }, inTransaction);
    const promised = await enqueueSchedule(inTransaction, changed);
    const action = `report_schedule.${what}` as const;
    await audit(inTransaction, caller, { action, object: ['report_schedule', changed.id], requestId });
    return { promise: promised, schedule: changed };
  });
  await sendNow(promise);
  return present(schedule);
}

function columnsOf(input: {
  report: string;
  cadence: Cadence;
  time_zone: string;
  language: string;
  recipients: string[];
}) {
  const { report, cadence, time_zone: timeZone, language, recipients } = input;
  return { report, cadence, timeZone, language, sealedRecipients: sealRecipients(recipients) };
}

async function present(schedule: ReportSchedule) {
  return presentWith(await readStates(schedule.merchantId, recipientsOf(schedule)), schedule);
}

function presentWith(stateOf: (recipient: string) => RecipientState, schedule: ReportSchedule) {
  const recipients = recipientsOf(schedule);
  const states = recipients.map((address) => ({ address, state: stateOf(address) }));
  return presentReportSchedule(schedule, { recipients, recipient_states: states, hour: hourOf(schedule.timeZone) });
}

function getSchedule({ merchantId }: Caller, id: number, inTransaction?: Transaction): Promise<ReportSchedule> {
  const locked = { transaction: inTransaction, lock: inTransaction !== undefined };
  return getOwned(ReportSchedule, merchantId, id, 'report_schedule_not_found', locked);
}

const inputOf = ({ id, token }: ScheduleToRun): ScheduledReportInput => ({ scheduleId: id, token });

const orderOf = (schedule: ScheduleToRun): ScheduleOrder => ({ input: inputOf(schedule), times: timesOf(schedule) });

function enqueueSchedule(inTransaction: Transaction, schedule: ReportSchedule): Promise<OutboxRow> {
  return promise(inTransaction, schedule, keepScheduleSignal, orderOf(schedule));
}

async function remove(inTransaction: Transaction, schedule: ReportSchedule): Promise<OutboxRow> {
  await schedule.destroy({ transaction: inTransaction });
  return promise(inTransaction, schedule, endScheduleSignal, inputOf(schedule));
}

function promise(
  inTransaction: Transaction,
  schedule: ReportSchedule,
  signal: typeof keepScheduleSignal | typeof endScheduleSignal,
  input: ScheduleOrder | ScheduledReportInput,
): Promise<OutboxRow> {
  const workflowId = reportScheduleId(schedule.token);
  return enqueue(inTransaction, {
    messageId: `${workflowId}:${randomBytes(8).toString('hex')}`,
    workflow: 'scheduledReport',
    workflowId,
    signal,
    input,
    labels: labelsOf(schedule),
  });
}

function labelsOf({ id, merchantId, report, cadence }: ScheduleToRun): RunLabels {
  return { merchantId, state: 'scheduled', requestId: '', summary: `${cadence} report ${id}: ${report}` };
}

function timesOf({ cadence, timeZone }: ScheduleToRun): ScheduleOrder['times'] {
  const times = { hour: hourOf(timeZone), timeZone };
  if (cadence === 'weekly') return { ...times, on: { dayOfWeek: 'MONDAY' } };
  return cadence === 'monthly' ? { ...times, on: { dayOfMonth: 1 } } : times;
}
