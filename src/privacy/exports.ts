import { type z } from 'zod';
import { countHourly } from '../adapters/hourlyCounts';
import { type OutboxRow, sendNow } from '../adapters/outbox';
import { transaction, type Transaction, violatedConstraint } from '../adapters/postgres/connection';
import { mailsPerHour } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { listMailsOf, queueMail } from '../mail/mail';
import { publish } from '../notifications/publish';
import { Account } from '../accounts/accounts.model';
import { findTokenHome, mailToken, redeemToken, type TokenHome } from '../accounts/signIn/mailedTokens';
import { requirePassword } from '../accounts/signIn/passwords';
import { Session } from '../accounts/tokens/tokens.model';
import { AccountOperation, getOperation } from './privacy.model';
import { type ExportBody } from './privacy.schemas';
import { beginOperation } from './privacy';
import { readCategories } from './exports.model';
import { presentExport } from './exports.presenter';

/** A session of this age no longer proves that the owner uses it. */
const freshMinutes = 30;

/**
 * Requests an export. Its workflow gathers the data and mails it to the account's own address, so nobody else gets it.
 * A caller without a password and with an older session has to confirm it by a mailed link.
 */
export async function requestExport(caller: Caller, input: z.output<typeof ExportBody>, requestId: string) {
  const { merchantId, accountId } = caller;
  if (input.password !== undefined) await requirePassword(caller, input.password);
  await countHourly(['account_export', accountId], mailsPerHour);
  const asked = { merchantId, accountId, kind: 'export', brandingId: input.branding_id, requestId } as const;
  if (input.password !== undefined || (await isFresh(caller)))
    return begin((inTransaction) => beginOperation(inTransaction, asked));
  await transaction(async (inTransaction) => {
    const account = await Account.findByPk(accountId, { rejectOnEmpty: true, transaction: inTransaction });
    await mailToken(inTransaction, account, 'export_confirmation', input.branding_id);
  });
  return {
    ...message('Please open the link in the e-mail that we have sent you'),
    state: 'confirmation_mailed' as const,
  };
}

/** Starts the export of the account that the token was mailed to. */
export async function confirmExport(token: string, requestId: string) {
  return begin(async (inTransaction) => {
    const account = await redeemToken(inTransaction, token, 'export_confirmation');
    if (!account) throw new AppError('export_token_invalid');
    const { id: accountId, merchantId } = account;
    return beginOperation(inTransaction, { merchantId, accountId, kind: 'export', requestId });
  });
}

/** Whether this token can start an export now, and the merchant of its holder. */
export function findExportHome(token: string): Promise<TokenHome | undefined> {
  return findTokenHome(token, 'export_confirmation');
}

async function begin(insert: (inTransaction: Transaction) => Promise<OutboxRow>) {
  const queued = await transaction(insert).catch((error: unknown) => {
    if (violatedConstraint(error) === 'account_operations_running') throw new AppError('export_in_progress');
    throw error;
  });
  await sendNow(queued);
  return { ...message('Account successfully exported'), state: 'started' as const };
}

/** A renewal of the session does not make it younger. */
async function isFresh({ sessionId }: Caller): Promise<boolean> {
  const session = await Session.findByPk(sessionId);
  return session !== null && Date.now() - session.createdAt.getTime() <= freshMinutes * 60_000;
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
