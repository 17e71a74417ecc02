import { type ReportMailed, type ReportMailingInput, reportScheduleId } from '../../../workflows/messages';
import { merchantTime } from '../../adapters/clock';
import { type ReportLanguage, type ReportName } from '../../adapters/mailer/reportMail';
import { transaction } from '../../adapters/postgres/connection';
import { endSchedule } from '../../adapters/schedules';
import { baseUrl } from '../../adapters/settings';
import { isFeatureOff } from '../../features/service';
import { queueMail } from '../../mail/service';
import { streamReport } from '../files/service';
import { recipientsOf, ReportSchedule, type Cadence } from '../schedules/service';
import { insertMailing, wasMailed } from './model';

/** What a mail server takes without a word; what is longer is to be had in the console. */
const attachmentMax = 5_000_000;
const dayMs = 86_400_000;

/**
 * Makes the report of the last period that was over, and queues it to each of its readers, together with the word that
 * the period was mailed: a step that dies has done nothing, and of two at once one does it.
 */
export async function mailReport({ scheduleId, token, atMs }: ReportMailingInput): Promise<ReportMailed> {
  const schedule = await ReportSchedule.findOne({ where: { id: scheduleId, token } });
  if (!schedule) return ended(token);
  const { merchantId } = schedule;
  if (await isFeatureOff(merchantId, 'scheduled_reports')) return { state: 'off' };
  const { aheadMs } = await merchantTime(merchantId);
  const period = periodBefore(schedule.cadence, new Date(atMs + aheadMs));
  const mailing = { merchantId, scheduleId, ...period };
  if (await wasMailed(mailing)) return { state: 'repeated', ...period };
  const pieces = await readWhole(streamReport({ merchantId }, schedule.report as ReportName, period));
  const state = await transaction(async (inTransaction) => {
    const found = await insertMailing(inTransaction, mailing);
    if (found !== 'mailed') return found;
    const values = {
      report: schedule.report as ReportName,
      language: schedule.language as ReportLanguage,
      ...period,
      url: `${baseUrl}/console/reports?from=${period.from}&to=${period.to}`,
      isAttached: pieces !== undefined,
    };
    for (const to of recipientsOf(schedule)) {
      const name = `${schedule.report}-${period.from}-${period.to}.csv`;
      const attachment = pieces && { name, parts: inPieces(pieces) };
      await queueMail(inTransaction, { merchantId, to, template: 'report', values }, attachment);
    }
    return found;
  });
  return state === 'ended' ? ended(token) : { state, ...period };
}

/** A schedule that goes on without its row, such as one of a restored backup, ends here. */
async function ended(token: string): Promise<ReportMailed> {
  await endSchedule(reportScheduleId(token));
  return { state: 'ended' };
}

/** The last day, week from Monday on, or month that was over at the time; days in UTC, both inclusive. */
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

/** All of it; undefined where it is too long for a mail. */
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

/** One write a mail is enough for a short report. */
async function* inPieces(pieces: readonly string[]): AsyncGenerator<string> {
  const perPiece = 1_000;
  for (let start = 0; start < pieces.length; start += perPiece)
    yield await Promise.resolve(pieces.slice(start, start + perPiece).join(''));
}
