import { randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { cardProvider } from '../../../adapters/cardProviders';
import { type OutboxRow, sendNow } from '../../../adapters/outbox';
import { hashPassword } from '../../../adapters/passwords';
import { destroyPayloadKey } from '../../../adapters/payloadKeys';
import { transaction, type Transaction } from '../../../adapters/postgres/connection';
import { signalOrStartWorkflow, workflowRuns } from '../../../adapters/temporal';
import { actorOf, writeAudit } from '../../../audit/service';
import { type Caller } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { message } from '../../../kit/page';
import { queueMail } from '../../../mail/service';
import { publish } from '../../../notifications/publish';
import { refundUnserved } from '../../../subscriptions/refunds/service';
import {
  accountErasedSignal,
  accountWorkflowId,
  externalPaymentWorkflowId,
  paymentWorkflowId,
  refundWorkflowId,
  subscriptionWorkflowId,
} from '../../../../workflows/messages';
import * as externalAccounts from '../../externalAccounts/service';
import { Account } from '../../model';
import { requirePassword } from '../../passwords/service';
import { endSessions } from '../../tokens/service';
import { AccountOperation, getOperation } from '../model';
import { type EraseBody } from '../schemas';
import { beginOperation } from '../service';
import {
  type Begun,
  forgetAccount,
  listBegun,
  listCardTokens,
  listErasedUuids,
  listOpenPurchases,
  type OpenPurchase,
  revokeAllAccesses,
} from './model';

/**
 * From this commit on nobody signs in to the account and nothing is charged to it; the rest is its workflow's. Asked again
 * it answers the same. The caller's own password is asked for, whoever's account it is.
 */
export async function requestErasure(caller: Caller, input: z.output<typeof EraseBody>, requestId: string) {
  const accountId = whomToErase(caller, input.customer_id);
  await requirePassword(caller, input.password);
  const queued = await transaction(async (inTransaction) => {
    const account = await lockConsumer(inTransaction, { id: accountId, merchantId: caller.merchantId });
    if (!account) throw new AppError('account_does_not_exist');
    if (account.erasingAt !== null) return undefined;
    const promised = await beginErasure(inTransaction, account, { brandingId: input.branding_id, requestId });
    const deed = { action: 'account.erase', objectType: 'account', objectId: account.id, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...deed });
    return promised;
  });
  if (queued) await sendNow(queued);
  return message('Account successfully deleted', 202);
}

function whomToErase(caller: Caller, customerId: number | undefined): number {
  if (caller.role === 'merchant' && customerId === undefined)
    throw new AppError('missing_parameter', { errors: { customer_id: 'The customer_id must not be empty.' } });
  if (caller.role === 'consumer' && customerId !== undefined && customerId !== caller.accountId)
    throw new AppError('account_does_not_exist');
  return customerId ?? caller.accountId;
}

/** Waits for whatever is being written for the account: what comes later sees that it is to be erased. */
function lockConsumer(inTransaction: Transaction, where: { merchantId?: number; id?: number; uuid?: string }) {
  return Account.findOne({
    where: { ...where, role: 'consumer' },
    transaction: inTransaction,
    lock: inTransaction.LOCK.UPDATE,
  });
}

async function beginErasure(
  inTransaction: Transaction,
  account: Account,
  asked: { brandingId?: number | undefined; requestId: string },
): Promise<OutboxRow> {
  const { id: accountId, merchantId } = account;
  const erasingAt = new Date();
  await account.update({ isActive: false, erasingAt, updatedAt: erasingAt }, { transaction: inTransaction });
  await endSessions(inTransaction, { accountId });
  await AccountOperation.update(
    { state: 'cancelled', endedAt: erasingAt },
    { where: { accountId, state: 'running' }, transaction: inTransaction },
  );
  return beginOperation(inTransaction, { ...asked, merchantId, accountId, kind: 'erasure' });
}

/**
 * Tells the workflows of what the account has bought and has not ended, which are the only writers of its state, and how
 * many there were. To tell one twice does no harm.
 */
export async function endSubscriptions(operationId: number): Promise<{ left: number }> {
  const { accountId, merchantId, token: requestId } = await getOperation(operationId);
  const open = await transaction((inTransaction) => listOpenPurchases(inTransaction, accountId));
  for (const { kind, id, token, itemId, state, hasTrial } of open) {
    const labels = { merchantId, itemId, state, requestId, summary: `item ${itemId}` };
    if (kind === 'payment')
      await signalOrStartWorkflow('payment', paymentWorkflowId(token), { paymentId: id }, labels, accountErasedSignal);
    else
      await signalOrStartWorkflow(
        'subscription',
        subscriptionWorkflowId(token),
        { subscriptionId: id, ...(hasTrial && { hasTrial: true }) },
        labels,
        accountErasedSignal,
      );
  }
  return { left: open.filter(isUnended).length };
}

/** What is revoked is told that nobody is left to give it back to, and not waited for: its row stays as it is. */
const isUnended = ({ state }: OpenPurchase) => state !== 'revoked';

/** What was on its way to the provider when the erasure began goes back: nothing is given for it any more. */
export async function giveBackCharges(operationId: number): Promise<void> {
  const { accountId, merchantId, token } = await getOperation(operationId);
  await refundUnserved({ accountId, merchantId, requestId: token });
}

/** Whatever else opened items to the account: grants, vouchers, gifts. */
export function revokeAccesses(operationId: number): Promise<void> {
  return transaction(async (inTransaction) => {
    const { accountId, merchantId, token } = await getOperation(operationId, inTransaction);
    const itemIds = await revokeAllAccesses(inTransaction, accountId);
    if (itemIds.length === 0) return;
    const revoked = itemIds.map((itemId) => ({
      type: 'access.revoked' as const,
      accountId,
      dedupeKey: `erasure:${token}:revoked:${itemId}`,
      resource: { item_id: itemId },
    }));
    await publish(inTransaction, merchantId, revoked);
  });
}

/** Before the database forgets the tokens, by which alone the provider knows its customer. */
export async function forgetCards(operationId: number): Promise<void> {
  const { accountId } = await getOperation(operationId);
  const tokens = await transaction((inTransaction) => listCardTokens(inTransaction, accountId, cardProvider.name));
  if (tokens.length > 0) await cardProvider.forgetCustomer(tokens);
}

/** Before the database forgets the accounts at the partner, by which alone it knows them. */
export async function leaveChats(operationId: number): Promise<void> {
  const { accountId } = await getOperation(operationId);
  await externalAccounts.leaveChats(accountId);
}

/**
 * Forgets the account, promises the last mail to its address, and tells of it, in one transaction. Not while one of its
 * subscriptions is open: a purchase that was under way when the erasure began may have been committed since.
 */
export async function wipeAccount(operationId: number): Promise<{ isWiped: boolean }> {
  const unusableHash = await hashPassword(randomBytes(32).toString('base64url'));
  return transaction(async (inTransaction) => {
    const operation = await getOperation(operationId, inTransaction);
    if (operation.state === 'done') return { isWiped: true };
    const account = await lockConsumer(inTransaction, { id: operation.accountId });
    if (!account) throw new Error(`there is no account ${operation.accountId}`);
    const open = await listOpenPurchases(inTransaction, account.id);
    if (open.some(isUnended)) return { isWiped: false };
    const { id: accountId, merchantId, email: to } = account;
    await forgetAccount(inTransaction, accountId, unusableHash);
    const lastMail = { merchantId, to, template: 'account_erased', values: {}, isForgotten: true } as const;
    await queueMail(inTransaction, { ...lastMail, brandingId: operation.brandingId ?? undefined });
    await operation.update({ state: 'done', endedAt: new Date() }, { transaction: inTransaction });
    const dedupeKey = `erasure:${operation.token}`;
    await publish(inTransaction, merchantId, [{ type: 'account.erased', accountId, dedupeKey, resource: {} }]);
    return { isWiped: true };
  });
}

/**
 * Makes unreadable what the account's workflows have left behind, once all have ended; how many have not. Those that begin
 * later carry ids of an account that names nobody.
 */
export async function destroyKey(operationId: number): Promise<{ left: number }> {
  const { accountId } = await getOperation(operationId);
  const begun = await transaction((inTransaction) => listBegun(inTransaction, accountId));
  let left = 0;
  for (const { kind, token, attempt } of begun) if (await workflowRuns(workflowIds[kind](token, attempt))) left += 1;
  if (left === 0) await transaction((inTransaction) => destroyPayloadKey(inTransaction, accountId));
  return { left };
}

const workflowIds: Record<Begun['kind'], (token: string, attempt: number) => string> = {
  subscription: subscriptionWorkflowId,
  payment: paymentWorkflowId,
  refund: refundWorkflowId,
  claim: externalPaymentWorkflowId,
  export: (token) => accountWorkflowId('export', token),
};

/** The tombstones: to be kept beside the backups, which hold what has been erased since they were made. */
export async function listErasures(): Promise<string[]> {
  return (await transaction(listErasedUuids)).map(({ uuid }) => uuid);
}

/** Erases again, in a restored database, the accounts of these uuids that are there and whole; how many there were. */
export async function replayErasures(uuids: readonly string[]): Promise<number> {
  let begun = 0;
  for (const uuid of uuids) {
    const queued = await transaction(async (inTransaction) => {
      const account = await lockConsumer(inTransaction, { uuid });
      if (!account || account.erasedAt !== null) return undefined;
      await forgetOperation(inTransaction, account.id);
      return beginErasure(inTransaction, account, { requestId: 'erasures-replay' });
    });
    if (!queued) continue;
    begun += 1;
    await sendNow(queued);
  }
  return begun;
}

/** A backup may have been made while the account was being erased: that run is not to be trusted with what was restored. */
async function forgetOperation(inTransaction: Transaction, accountId: number): Promise<void> {
  await AccountOperation.destroy({ where: { accountId, state: 'running' }, transaction: inTransaction });
}
