import { type z } from 'zod';
import { type OutboxRow, sendNow } from '../adapters/outbox';
import { unusablePassword } from '../adapters/passwords';
import { destroyPayloadKey } from '../adapters/payloadKeys';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { findRun } from '../adapters/runs';
import { signalOrStartWorkflow, workflowRuns } from '../adapters/temporal';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { queueMail } from '../mail/mail';
import { publish } from '../notifications/publish';
import { getProviderOf } from '../subscriptions/provider/providers';
import { refundUnserved } from '../subscriptions/refunds/refunds';
import {
  accountErasedSignal,
  accountWorkflowId,
  externalPaymentWorkflowId,
  paymentWorkflowId,
  refundWorkflowId,
  subscriptionWorkflowId,
} from '../../workflows/messages';
import * as externalAccounts from '../externalAccounts/externalAccounts';
import { Account } from '../accounts/accounts.model';
import { requirePasswordOrSignIn } from '../accounts/secondFactors/confirmations';
import { requireRecentFactorOnly } from '../accounts/secondFactors/recentFactors';
import { endSessions } from '../accounts/tokens/tokens';
import { AccountOperation, getOperation } from './privacy.model';
import { type EraseBody } from './privacy.schemas';
import { beginOperation } from './privacy';
import {
  type EncryptedRun,
  forgetAccount,
  listEncryptedRuns,
  listPayers,
  listErasedUuids,
  listOpenPurchases,
  type OpenPurchase,
  revokeAllAccesses,
} from './erasures.model';

/**
 * Requests an erasure. The commit blocks sign-in and stops all charges; the account's workflow erases the data. A
 * repeated request gets the same response. Callers confirm with their own password, also for a customer's account. Callers
 * without a password confirm with a new sign-in.
 */
export async function requestErasure(caller: Caller, input: z.output<typeof EraseBody>, requestId: string) {
  const accountId = whomToErase(caller, input.customer_id);
  await requireRecentFactorOnly(caller);
  await requirePasswordOrSignIn(caller, input.password);
  const queued = await transaction(async (inTransaction) => {
    const account = await lockConsumer(inTransaction, { id: accountId, merchantId: caller.merchantId });
    if (!account) throw new AppError('account_does_not_exist');
    if (account.erasingAt !== null) return undefined;
    await audit(inTransaction, caller, { action: 'account.erase', object: ['account', account.id], requestId });
    return beginErasure(inTransaction, account, { brandingId: input.branding_id, requestId });
  });
  if (queued) await sendNow(queued);
  return message('Account successfully deleted');
}

function whomToErase(caller: Caller, customerId: number | undefined): number {
  if (caller.role === 'merchant' && customerId === undefined)
    throw new AppError('missing_parameter', { errors: { customer_id: 'The customer_id must not be empty.' } });
  if (caller.role === 'consumer' && customerId !== undefined && customerId !== caller.accountId)
    throw new AppError('account_does_not_exist');
  return customerId ?? caller.accountId;
}

/** Waits for transactions that write for the account. Later ones see that it is being erased. */
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
    { state: 'cancelled', endedAt: erasingAt, nextDueAt: null },
    { where: { accountId, state: 'running' }, transaction: inTransaction },
  );
  return beginOperation(inTransaction, { ...asked, merchantId, accountId, kind: 'erasure' });
}

/**
 * Signals the workflows of the account's open purchases, which are the only writers of their state. Returns the number
 * of open ones. Repeated signals are harmless.
 */
export async function endSubscriptions(operationId: number): Promise<{ left: number }> {
  const { accountId } = await getOperation(operationId);
  const open = await transaction((inTransaction) => listOpenPurchases(inTransaction, accountId));
  for (const { kind, token } of open) {
    const run = await findRun(kind, workflowIds[kind](token, 1));
    if (run) await signalOrStartWorkflow(run, accountErasedSignal);
  }
  return { left: open.filter(isUnended).length };
}

/**
 * A revoked subscription stays revoked. Its workflow learns that it cannot be restored, and the erasure does not wait
 * for it.
 */
const isUnended = ({ state }: OpenPurchase) => state !== 'revoked';

/** Refunds charges that were in progress when the erasure began. */
export async function giveBackCharges(operationId: number): Promise<void> {
  const { accountId, merchantId, token } = await getOperation(operationId);
  await refundUnserved({ accountId, merchantId, requestId: token });
}

/** Revokes access of any other source: grants, vouchers, gifts. */
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

/** Deletes the cards at the provider. This comes before the database deletes the provider's customer ids. */
export async function forgetCards(operationId: number): Promise<void> {
  const { accountId, merchantId } = await getOperation(operationId);
  const payers = await transaction((inTransaction) => listPayers(inTransaction, accountId));
  for (const { provider: name, tokens, customer } of payers) {
    const provider = await getProviderOf({ merchantId, provider: name });
    await provider.forgetCustomer(tokens, customer ?? undefined);
  }
}

/** Leaves the live chats. This comes before the database deletes the ids of the account at the partner. */
export async function leaveChats(operationId: number): Promise<void> {
  const { accountId } = await getOperation(operationId);
  await externalAccounts.leaveChats(accountId);
}

/**
 * Deletes the account's data, queues a last mail to its address, and publishes an event, in one transaction. It does
 * nothing while a subscription is open: a purchase that was in progress when the erasure began may have been committed
 * since.
 */
export async function wipeAccount(operationId: number): Promise<{ isWiped: boolean }> {
  const unusableHash = unusablePassword();
  return transaction(async (inTransaction) => {
    const operation = await getOperation(operationId, inTransaction);
    if (operation.state === 'done') return { isWiped: true };
    const account = await lockConsumer(inTransaction, { id: operation.accountId });
    if (!account) throw new Error(`there is no account ${operation.accountId}`);
    const open = await listOpenPurchases(inTransaction, account.id);
    if (open.some(isUnended)) return { isWiped: false };
    const { id: accountId, merchantId, email: to, language } = account;
    await forgetAccount(inTransaction, accountId, unusableHash);
    const lastMail = { merchantId, to, template: 'account_erased', values: {}, isForgotten: true } as const;
    const brandingId = operation.brandingId ?? undefined;
    await queueMail(inTransaction, { ...lastMail, brandingId, ...(language && { language }) });
    await operation.update({ state: 'done', endedAt: new Date() }, { transaction: inTransaction });
    const dedupeKey = `erasure:${operation.token}`;
    await publish(inTransaction, merchantId, [{ type: 'account.erased', accountId, dedupeKey, resource: {} }]);
    return { isWiped: true };
  });
}

/**
 * Destroys the key of the payloads of the account's workflows after all of them have ended. Returns the number that
 * have not. Workflows that start later contain only ids without personal data.
 */
export async function destroyKey(operationId: number): Promise<{ left: number }> {
  const { accountId } = await getOperation(operationId);
  const begun = await transaction((inTransaction) => listEncryptedRuns(inTransaction, accountId));
  let left = 0;
  for (const { kind, token, attempt } of begun) if (await workflowRuns(workflowIds[kind](token, attempt))) left += 1;
  if (left > 0) return { left };
  await transaction(async (inTransaction) => {
    await destroyPayloadKey(inTransaction, accountId);
    const where = { id: operationId };
    await AccountOperation.update({ nextDueAt: null }, { where, transaction: inTransaction });
  });
  return { left };
}

const workflowIds: Record<EncryptedRun['kind'], (token: string, attempt: number) => string> = {
  subscription: subscriptionWorkflowId,
  payment: paymentWorkflowId,
  refund: refundWorkflowId,
  claim: externalPaymentWorkflowId,
  export: (token) => accountWorkflowId('export', token),
};

/** Lists the tombstones. The list must be stored with the backups, which contain accounts that were erased later. */
export async function listErasures(): Promise<string[]> {
  return (await transaction(listErasedUuids)).map(({ uuid }) => uuid);
}

/**
 * Erases the given accounts again in a restored database. Returns the number of accounts that were found and not yet
 * erased.
 */
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

/** Deletes an unfinished operation from the backup. Its earlier run must not continue on the restored data. */
async function forgetOperation(inTransaction: Transaction, accountId: number): Promise<void> {
  await AccountOperation.destroy({ where: { accountId, state: 'running' }, transaction: inTransaction });
}
