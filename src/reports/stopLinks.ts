import { sendNow } from '../adapters/outbox';
import { transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { baseUrl } from '../adapters/settings';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { normalizeEmail } from '../kit/form';
import { hashOf } from '../kit/secrets';
import { recipientsOf, removeRecipient, ReportSchedule } from './schedules';

/**
 * The link in the mail of a scheduled report with which its reader ends the mails. A merchant can enter any
 * address, so the reader may have no account and may not know the merchant.
 */

const purpose = 'report stop link';

/** Names the recipient in the link, which has no room for a long address. */
const markOf = (email: string) => hashOf(normalizeEmail(email)).toString('hex', 0, 16);

/** Valid as long as the schedule has this recipient. */
export function stopUrl({ token }: Pick<ReportSchedule, 'token'>, recipient: string): string {
  return `${baseUrl}/reporting/stop/${seal(purpose, `${token}:${markOf(recipient)}`).toString('base64url')}`;
}

/** Whether the reader of a link still receives the report. */
export async function isStoppable(token: string): Promise<boolean> {
  return (await findStop(token)) !== undefined;
}

/** Removes the reader from all scheduled reports of the merchant. Throws `report_schedule_not_found`. */
export async function stopReports(token: string, request: RequestFacts): Promise<void> {
  const stop = await findStop(token);
  if (!stop) throw new AppError('report_schedule_not_found');
  const { merchantId, recipient } = stop;
  // The reader has no account, so the entry in the audit log has the merchant's.
  const reader = { merchantId, accountId: merchantId, clientAddress: request.clientAddress };
  const promises = await transaction((inTransaction) =>
    removeRecipient(inTransaction, reader, { addresses: [normalizeEmail(recipient)], isOwnWish: true }, request),
  );
  for (const promise of promises) await sendNow(promise);
}

async function findStop(token: string): Promise<{ merchantId: number; recipient: string } | undefined> {
  const [scheduleToken, mark] = unseal(purpose, Buffer.from(token, 'base64url'))?.split(':') ?? [];
  if (scheduleToken === undefined) return undefined;
  const schedule = await ReportSchedule.findOne({ where: { token: scheduleToken } });
  const recipient = schedule ? recipientsOf(schedule).find((address) => markOf(address) === mark) : undefined;
  return schedule === null || recipient === undefined ? undefined : { merchantId: schedule.merchantId, recipient };
}
