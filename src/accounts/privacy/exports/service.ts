import { type z } from 'zod';
import { countHourly } from '../../../adapters/hourlyCounts';
import { sendNow } from '../../../adapters/outbox';
import { transaction, violatedConstraint } from '../../../adapters/postgres/connection';
import { mailsPerHour } from '../../../adapters/settings';
import { type Caller } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { message } from '../../../kit/page';
import { listMailsOf, queueMail } from '../../../mail/service';
import { publish } from '../../../notifications/publish';
import { Account } from '../../model';
import { requirePassword } from '../../passwords/service';
import { Session } from '../../tokens/model';
import { AccountOperation, getOperation } from '../model';
import { type ExportBody } from '../schemas';
import { beginOperation } from '../service';
import { readCategories } from './model';
import { presentExport } from './presenter';

/** Takes the wish down; its workflow gathers and mails. Whoever signed in elsewhere has no password to show (decisions 13). */
export async function requestExport(caller: Caller, input: z.output<typeof ExportBody>, requestId: string) {
  await requireOwner(caller, input.password);
  const { merchantId, accountId } = caller;
  await countHourly(['account_export', accountId], mailsPerHour);
  const asked = { merchantId, accountId, kind: 'export', brandingId: input.branding_id, requestId } as const;
  const queued = await transaction((inTransaction) => beginOperation(inTransaction, asked)).catch((error: unknown) => {
    if (violatedConstraint(error) === 'account_operations_running') throw new AppError('export_in_progress');
    throw error;
  });
  await sendNow(queued);
  return message('Account successfully exported', 202);
}

async function requireOwner(caller: Caller, password: string | undefined): Promise<void> {
  if (password !== undefined) return requirePassword(caller, password);
  const session = await Session.findByPk(caller.sessionId);
  if (session?.grantType !== 'social')
    throw new AppError('wrong_password', { errors: { password: 'Invalid credentials' } });
}

/**
 * Gathers what is stored of the account, seals it piece by piece beside its mail, and tells of it, in one transaction: a
 * step that dies has done nothing. Of two that run at once the second finds it done, and an erasure has cancelled it.
 */
export async function mailExport(operationId: number): Promise<{ isMailed: boolean }> {
  const { accountId, token, brandingId, state: before } = await getOperation(operationId);
  if (before !== 'running') return { isMailed: before === 'done' };
  const mailing = transaction(async (inTransaction) => {
    const account = await Account.findByPk(accountId, { rejectOnEmpty: true, transaction: inTransaction });
    const mails = await listMailsOf(account, inTransaction);
    const parts = presentExport(readCategories(inTransaction, accountId), { mails });
    const { merchantId, email: to } = account;
    const mail = { merchantId, accountId, brandingId: brandingId ?? undefined, to } as const;
    const attachment = { name: 'account.json', parts };
    await queueMail(inTransaction, { ...mail, template: 'account_export', values: {} }, attachment);
    // Locked last: who erases the account does not wait for what is gathered.
    const operation = await getOperation(operationId, inTransaction);
    if (operation.state !== 'running') throw new Superseded();
    await operation.update({ state: 'done', endedAt: new Date() }, { transaction: inTransaction });
    await publish(inTransaction, merchantId, [
      { type: 'account.export.success', accountId, dedupeKey: `export:${token}`, resource: {} },
    ]);
  });
  await mailing.catch((error: unknown) => {
    if (!(error instanceof Superseded)) throw error;
  });
  const { state } = await AccountOperation.findByPk(operationId, { rejectOnEmpty: true });
  return { isMailed: state === 'done' };
}

/** The operation has ended while it was gathered for: what was written for it is taken back. */
class Superseded extends Error {}
