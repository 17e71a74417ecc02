import { randomBytes } from 'node:crypto';
import { Op } from 'sequelize';
import { type z } from 'zod';
import {
  endScheduleSignal,
  keepScheduleSignal,
  reportScheduleId,
  type ScheduledReportInput,
  type ScheduleOrder,
} from '../../../workflows/messages';
import { logger } from '../../adapters/logger';
import { enqueue, sendNow, type OutboxRow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { restoreSchedule } from '../../adapters/schedules';
import { seal, unseal } from '../../adapters/sealing';
import { type RunLabels } from '../../adapters/temporal';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { message } from '../../kit/page';
import { lockSchedulesOf, ReportSchedule, type Cadence } from './model';
import { presentReportSchedule } from './presenter';
import { type CreateReportScheduleBody, type UpdateReportScheduleBody } from './schemas';

export { ReportSchedule, type Cadence };
export { cadences, reports } from './schemas';

/**
 * Reports that are mailed again and again. Each row has a Temporal Schedule, which is told of every change through the
 * outbox: the workflow server may be away meanwhile. Who is written to stands in the row only, sealed.
 */

const mostSchedules = 20;
const purpose = 'report recipients';
const earliestHour = 6;
const restoredAtOnce = 200;

export async function createReportSchedule(
  caller: Caller,
  input: z.output<typeof CreateReportScheduleBody>,
  request: RequestFacts,
) {
  const { merchantId } = caller;
  return changing(caller, 'create', request, async (inTransaction) => {
    await lockSchedulesOf(merchantId, inTransaction);
    const count = await ReportSchedule.count({ where: { merchantId }, transaction: inTransaction });
    if (count >= mostSchedules) throw new AppError('report_schedule_limit_reached');
    const token = randomBytes(8).toString('hex');
    return ReportSchedule.create({ merchantId, token, ...columnsOf(input) }, { transaction: inTransaction });
  });
}

export async function listReportSchedules({ merchantId }: Caller) {
  const schedules = await ReportSchedule.findAll({ where: { merchantId }, order: ['id'] });
  return { total: schedules.length, collection: schedules.map(present) };
}

export async function getReportSchedule(caller: Caller, scheduleId: number) {
  return present(await getSchedule(caller, scheduleId));
}

/** What was mailed stays mailed; from now on the new times and addresses count. */
export async function updateReportSchedule(
  caller: Caller,
  scheduleId: number,
  input: z.output<typeof UpdateReportScheduleBody>,
  request: RequestFacts,
) {
  return changing(caller, 'update', request, async (inTransaction) => {
    const schedule = await getSchedule(caller, scheduleId, inTransaction);
    const { report, cadence, timeZone, language } = schedule;
    const before = { report, cadence, time_zone: timeZone, language, recipients: recipientsOf(schedule) };
    const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const columns = columnsOf({ ...before, ...changes });
    return schedule.update({ ...columns, updatedAt: new Date() }, { transaction: inTransaction });
  });
}

export async function deleteReportSchedule(caller: Caller, scheduleId: number, request: RequestFacts) {
  const promise = await transaction(async (inTransaction) => {
    const schedule = await getSchedule(caller, scheduleId, inTransaction);
    const promised = await remove(inTransaction, schedule);
    await audit(inTransaction, caller, { action: 'report_schedule.delete', scheduleId, request });
    return promised;
  });
  await sendNow(promise);
  return message('Report schedule successfully deleted');
}

/**
 * Has the workflow server know every schedule that there is a row of, after it has lost what it knew. One that it knows
 * stays as it is, and one whose row goes meanwhile ends with its first run. How many came back.
 */
export async function restoreReportSchedules(): Promise<number> {
  let restored = 0;
  for (let afterId = 0, isMore = true; isMore;) {
    const where = { id: { [Op.gt]: afterId } };
    const schedules = await ReportSchedule.findAll({ where, order: ['id'], limit: restoredAtOnce });
    for (const schedule of schedules)
      if (await restoreSchedule(reportScheduleId(schedule.token), orderOf(schedule), labelsOf(schedule))) restored += 1;
    afterId = schedules.at(-1)?.id ?? 0;
    isMore = schedules.length === restoredAtOnce;
  }
  if (restored > 0) logger.warn({ restored }, 'the workflow server had lost schedules of reports');
  return restored;
}

/** Whoever leaves the merchant is written to no more; a report without readers ends. `sendNow` each after the commit. */
export async function removeRecipient(
  inTransaction: Transaction,
  caller: Caller,
  email: string,
  request: RequestFacts,
): Promise<OutboxRow[]> {
  const where = { merchantId: caller.merchantId };
  const schedules = await ReportSchedule.findAll({ where, order: ['id'], transaction: inTransaction, lock: true });
  const promises: OutboxRow[] = [];
  for (const schedule of schedules) {
    const recipients = findRecipients(schedule) ?? [];
    const left = recipients.filter((address) => normalizeEmail(address) !== normalizeEmail(email));
    if (left.length === recipients.length) continue;
    const isOver = left.length === 0;
    const action = `report_schedule.${isOver ? 'delete' : 'update'}` as const;
    await audit(inTransaction, caller, { action, scheduleId: schedule.id, request });
    if (isOver) promises.push(await remove(inTransaction, schedule));
    else
      await schedule.update({ sealedRecipients: sealed(left), updatedAt: new Date() }, { transaction: inTransaction });
  }
  return promises;
}

/** To whom it is mailed. Throws for what was sealed elsewhere. */
export function recipientsOf(schedule: ReportSchedule): string[] {
  const list = findRecipients(schedule);
  if (list === undefined) throw new Error('the recipients of a report are sealed with another key');
  return list;
}

function findRecipients({ sealedRecipients }: ReportSchedule): string[] | undefined {
  const list = unseal(purpose, sealedRecipients);
  return list === undefined ? undefined : (JSON.parse(list) as string[]);
}

const sealed = (recipients: readonly string[]) => seal(purpose, JSON.stringify(recipients));

/** The first hour from six on at which the day in UTC, by which reports count, is over all year round. */
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
  request: RequestFacts,
  change: (inTransaction: Transaction) => Promise<ReportSchedule>,
) {
  const { promise, schedule } = await transaction(async (inTransaction) => {
    const changed = await change(inTransaction);
    const promised = await promiseSchedule(inTransaction, changed);
    const deed = { action: `report_schedule.${what}`, scheduleId: changed.id, request } as const;
    await audit(inTransaction, caller, deed);
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
  return { report, cadence, timeZone, language, sealedRecipients: sealed(recipients) };
}

function present(schedule: ReportSchedule) {
  return presentReportSchedule(schedule, { recipients: recipientsOf(schedule), hour: hourOf(schedule.timeZone) });
}

async function getSchedule(caller: Caller, id: number, inTransaction?: Transaction): Promise<ReportSchedule> {
  const schedule = await ReportSchedule.findOne({
    where: { id, merchantId: caller.merchantId },
    ...(inTransaction && { transaction: inTransaction, lock: true }),
  });
  if (!schedule) throw new AppError('report_schedule_not_found');
  return schedule;
}

const inputOf = ({ id, token }: ReportSchedule): ScheduledReportInput => ({ scheduleId: id, token });

const orderOf = (schedule: ReportSchedule): ScheduleOrder => ({ input: inputOf(schedule), times: timesOf(schedule) });

function promiseSchedule(inTransaction: Transaction, schedule: ReportSchedule): Promise<OutboxRow> {
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

function labelsOf({ id, merchantId, report, cadence }: ReportSchedule): RunLabels {
  return { merchantId, state: 'scheduled', requestId: '', summary: `${cadence} report ${id}: ${report}` };
}

function timesOf({ cadence, timeZone }: ReportSchedule): ScheduleOrder['times'] {
  const times = { hour: hourOf(timeZone), timeZone };
  if (cadence === 'weekly') return { ...times, on: { dayOfWeek: 'MONDAY' } };
  return cadence === 'monthly' ? { ...times, on: { dayOfMonth: 1 } } : times;
}

interface Deed {
  action: `report_schedule.${string}`;
  scheduleId: number;
  request: RequestFacts;
}

function audit(inTransaction: Transaction, caller: Caller, { action, scheduleId, request }: Deed) {
  const { requestId } = request;
  const about = { objectType: 'report_schedule', objectId: scheduleId } as const;
  return writeAudit(inTransaction, { ...actorOf(caller), action, ...about, requestId });
}
