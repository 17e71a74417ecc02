import { type ReportMailed, type ReportMailingInput, reportScheduleId } from '../../workflows/messages';
import { merchantTime } from '../adapters/clock';
import { transaction } from '../adapters/postgres/connection';
import { endSchedule } from '../adapters/schedules';
import { baseUrl } from '../adapters/settings';
import { isFeatureOff } from '../features/features';
import { queueMail } from '../mail/mail';
import { type ReportName } from '../mail/mailValues';
import { streamReport } from './files';
import { listReaders } from './recipients';
import { setDueAfter, ReportSchedule, type Cadence } from './schedules';
import { stopUrl } from './stopLinks';
import { insertMailing, wasMailed } from './reportDeliveries.model';

/** The largest attachment that mail servers usually accept. A longer report is available in the console. */
const attachmentMax = 5_000_000;
const dayMs = 86_400_000;

/**
 * Makes the report of the last completed period and queues it to each confirmed recipient, in one transaction with the
 * record that the period was mailed. If two run concurrently, only one mails.
 */
export async function mailReport({ scheduleId, token, atMs }: ReportMailingInput): Promise<ReportMailed> {
  const schedule = await ReportSchedule.findOne({ where: { id: scheduleId, token } });
  if (!schedule) return ended(token);
  const mailed = await mailPeriod(schedule, atMs);
  if (mailed.state !== 'ended') await setDueAfter(schedule, atMs);
  return mailed;
}

async function mailPeriod(schedule: ReportSchedule, atMs: number): Promise<ReportMailed> {
  const { id: scheduleId, token, merchantId } = schedule;
  if (await isFeatureOff(merchantId, 'scheduled_reports')) return { state: 'off' };
  const { aheadMs } = await merchantTime(merchantId);
  const period = periodBefore(schedule.cadence, new Date(atMs + aheadMs));
  const mailing = { merchantId, scheduleId, ...period };
  if (await wasMailed(mailing)) return { state: 'repeated', ...period };
  if ((await listReaders(schedule)).length === 0) return { state: 'unread', ...period };
  const pieces = await readWhole(streamReport({ merchantId }, schedule.report as ReportName, period));
  const state = await transaction(async (inTransaction) => {
    const found = await insertMailing(inTransaction, mailing);
    if (found !== 'mailed') return found;
    const common = {
      report: schedule.report as ReportName,
      ...period,
      url: `${baseUrl}/console/reports?from=${period.from}&to=${period.to}`,
      isAttached: pieces !== undefined,
    };
    const { language } = schedule;
    for (const to of await listReaders(schedule, inTransaction)) {
      const name = `${schedule.report}-${period.from}-${period.to}.csv`;
      const values = { ...common, stopUrl: stopUrl(schedule, to) };
      const attachment = pieces && { name, parts: inPieces(pieces) };
      await queueMail(inTransaction, { merchantId, to, language, template: 'report', values }, attachment);
    }
    return found;
  });
  return state === 'ended' ? ended(token) : { state, ...period };
}

/** Ends a schedule whose row is missing, for example after a backup was restored. */
async function ended(token: string): Promise<ReportMailed> {
  await endSchedule(reportScheduleId(token));
  return { state: 'ended' };
}

/** The last completed day, week (from Monday) or month before a time, in UTC days, both inclusive. */
export function periodBefore(cadence: Cadence, at: Date): { from: string; to: string } {
  const today = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  if (cadence === 'daily') return daysBetween(today - dayMs, today);
  if (cadence === 'weekly') {
    const monday = today - ((at.getUTCDay() + 6) % 7) * dayMs;
    return daysBetween(monday - 7 * dayMs, monday);
  }
  const first = (monthsBefore: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - monthsBefore, 1);
  return daysBetween(first(1), first(0));
}

function daysBetween(fromMs: number, endMs: number) {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return { from: dayOf(fromMs), to: dayOf(endMs - dayMs) };
}

/** The whole file; undefined if it is too long for a mail. */
async function readWhole(parts: AsyncIterable<string>): Promise<string[] | undefined> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of parts) {
    pieces.push(piece);
    length += Buffer.byteLength(piece);
    if (length > attachmentMax) return undefined;
  }
  return pieces;
}

/** A short report is written in one piece. */
async function* inPieces(pieces: readonly string[]): AsyncGenerator<string> {
  const perPiece = 1_000;
  for (let start = 0; start < pieces.length; start += perPiece)
    yield await Promise.resolve(pieces.slice(start, start + perPiece).join(''));
}
