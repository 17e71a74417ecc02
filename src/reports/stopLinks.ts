import { transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { baseUrl } from '../adapters/settings';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { addressHashOf, auditAnswer, readStates, recipientsOf } from './recipients';
import { stopRecipient } from './recipients.model';
import { ReportSchedule } from './schedules.model';

/**
 * The link in the mail of a scheduled report with which its reader ends the mails. The reader may have no account and may
 * not know the merchant.
 */

const purpose = 'report stop link';

/** Valid as long as the schedule has this recipient. */
export function stopUrl({ token }: Pick<ReportSchedule, 'token'>, recipient: string): string {
  const text = `${token}:${addressHashOf(recipient)}`;
  return `${baseUrl}/reporting/stop/${seal(purpose, text).toString('base64url')}`;
}

interface Stop {
  merchantId: number;
  hash: string;
}

/** Whether the reader of a link is still a recipient who has not stopped the reports. */
export async function isStoppable(token: string): Promise<boolean> {
  return (await findStop(token)) !== undefined;
}

/**
 * The reader receives no scheduled report of the merchant any more. The schedules keep the address, so that the merchant
 * sees why. Throws `report_schedule_not_found`.
 */
export async function stopReports(token: string, request: RequestFacts): Promise<void> {
  const stop = await findStop(token);
  if (!stop) throw new AppError('report_schedule_not_found');
  await transaction(async (inTransaction) => {
    const stopped = await stopRecipient([stop.merchantId, stop.hash], inTransaction);
    if (stopped.length === 0) throw new AppError('report_schedule_not_found');
    await auditAnswer(inTransaction, stop, 'stop', request);
  });
}

async function findStop(token: string): Promise<Stop | undefined> {
  const [scheduleToken, hash] = unseal(purpose, Buffer.from(token, 'base64url'))?.split(':') ?? [];
  if (scheduleToken === undefined || hash === undefined) return undefined;
  const schedule = await ReportSchedule.findOne({ where: { token: scheduleToken } });
  const recipient = schedule ? recipientsOf(schedule).find((address) => addressHashOf(address) === hash) : undefined;
  if (schedule === null || recipient === undefined) return undefined;
  const { merchantId } = schedule;
  const stateOf = await readStates(merchantId, [recipient]);
  return stateOf(recipient) === 'stopped' ? undefined : { merchantId, hash };
}
