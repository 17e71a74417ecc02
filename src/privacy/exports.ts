import { type z } from 'zod';
import { countHourly } from '../adapters/hourlyCounts';
import { sendNow } from '../adapters/outbox';
import { transaction, violatedConstraint } from '../adapters/postgres/connection';
import { mailsPerHour } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { listMailsOf, queueMail } from '../mail/mail';
import { publish } from '../notifications/publish';
import { Account } from '../accounts/accounts.model';
import { requirePassword } from '../accounts/signIn/passwords';
import { Session } from '../accounts/tokens/tokens.model';
import { AccountOperation, getOperation } from './privacy.model';
import { type ExportBody } from './privacy.schemas';
import { beginOperation } from './privacy';
import { readCategories } from './exports.model';
import { presentExport } from './exports.presenter';

/**
 * Requests an export. Its workflow gathers the data and mails it. An account that signs in through a provider has no
 * password to confirm.
 */
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
 * Gathers the data of the account, encrypts it in pieces beside its mail, and publishes an event, in one transaction.
 * If two run concurrently, the second does nothing. An erasure cancels the export.
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
    // Locked at the end, so that an erasure does not wait until the data is gathered.
    const operation = await getOperation(operationId, inTransaction);
    if (operation.state !== 'running') throw new Superseded();
    await operation.update({ state: 'done', endedAt: new Date(), nextDueAt: null }, { transaction: inTransaction });
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

/** The operation ended while the data was gathered. The transaction is rolled back. */
class Superseded extends Error {}
