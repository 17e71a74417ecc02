import { listOwnMailboxes } from '../accounts/mailboxes';
import { type Transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { audit } from '../audit/audit';
import { type RequestFacts } from '../kit/endpoint';
import { normalizeEmail } from '../kit/form';
import { hashOf } from '../kit/secrets';
import { ReportRecipient } from './recipients.model';
import { ReportSchedule } from './schedules.model';
import { type recipientStates } from './schedules.schemas';

/**
 * The recipients of scheduled reports. The merchant's account and its staff receive reports at once. Any other recipient
 * must agree first. What a recipient has answered counts for all reports of the merchant.
 */

const purpose = 'report recipients';

export type RecipientState = (typeof recipientStates)[number];

/**
 * Names a recipient in a link and in the table of answers. The hash has no key, so that the answers stay valid when the
 * merchant moves to another installation. So a person who can read the table can also check whether an address is in it.
 */
export const addressHashOf = (email: string) => hashOf(normalizeEmail(email)).toString('hex', 0, 16);

export const sealRecipients = (recipients: readonly string[]) => seal(purpose, JSON.stringify(recipients));

/** The recipients of a report. Throws if they were encrypted with another key. */
export function recipientsOf(schedule: Pick<ReportSchedule, 'sealedRecipients'>): string[] {
  const list = findRecipients(schedule);
  if (list === undefined) throw new Error('the recipients of a report are sealed with another key');
  return list;
}

export function findRecipients({ sealedRecipients }: Pick<ReportSchedule, 'sealedRecipients'>): string[] | undefined {
  const list = unseal(purpose, sealedRecipients);
  return list === undefined ? undefined : (JSON.parse(list) as string[]);
}

/** The states of some recipients of a merchant. */
export async function readStates(
  merchantId: number,
  recipients: readonly string[],
  inTransaction?: Transaction,
): Promise<(recipient: string) => RecipientState> {
  const where = { merchantId, addressHash: recipients.map(addressHashOf) };
  const rows = await ReportRecipient.findAll({ where, ...(inTransaction && { transaction: inTransaction }) });
  const answers = new Map(rows.map((row) => [row.addressHash, row]));
  const own = new Set((await listOwnMailboxes(merchantId, inTransaction)).map(({ address }) => address));
  return (recipient) => {
    const answer = answers.get(addressHashOf(recipient));
    if (answer && answer.stoppedAt !== null) return 'stopped';
    const isConfirmed = own.has(normalizeEmail(recipient)) || (answer && answer.confirmedAt !== null);
    return isConfirmed ? 'confirmed' : 'awaiting_confirmation';
  };
}

/** The recipients who receive the report now. */
export async function listReaders(schedule: ReportSchedule, inTransaction?: Transaction): Promise<string[]> {
  const recipients = recipientsOf(schedule);
  const stateOf = await readStates(schedule.merchantId, recipients, inTransaction);
  return recipients.filter((recipient) => stateOf(recipient) === 'confirmed');
}

/**
 * Writes what a recipient has answered to the log of each report that it is about. The recipient may have no account, so the
 * entry has the merchant's.
 */
export async function auditAnswer(
  inTransaction: Transaction,
  { merchantId, hash }: { merchantId: number; hash: string },
  verb: 'confirm' | 'stop',
  { clientAddress, requestId }: RequestFacts,
): Promise<void> {
  const schedules = await ReportSchedule.findAll({ where: { merchantId }, order: ['id'], transaction: inTransaction });
  const actor = { merchantId, accountId: merchantId, clientAddress };
  for (const schedule of schedules) {
    const recipients = findRecipients(schedule) ?? [];
    if (!recipients.some((recipient) => addressHashOf(recipient) === hash)) continue;
    const action = `report_schedule.${verb}` as const;
    await audit(inTransaction, actor, { action, object: ['report_schedule', schedule.id], requestId });
  }
}
