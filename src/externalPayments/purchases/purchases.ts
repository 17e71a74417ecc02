import { type AppStore, type PurchaseReference, type StorePurchase } from '../../adapters/appStores/store';
import { merchantNow } from '../../adapters/clock';
import { logger } from '../../adapters/logger';
import { enqueue, enqueueAll, type OutboxRow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { environmentName } from '../../adapters/settings';
import { publicToken } from '../../kit/publicTokens';
import { type NewEvent } from '../../notifications/events';
import {
  clockMovedSignal,
  syncSignal,
  type SyncInput,
  type SyncResult,
  storePurchaseWorkflowId,
} from '../../../workflows/messages';
import { answerRequestsOf } from '../consumption';
import { type MatchedFee } from '../productMapping';
import { findStore, type Settings } from '../../stores/stores';
import { applyAnswer, applyRevocation, moveToAccount, endLapsedAccess } from './changes';
import {
  findAccountId,
  insertPurchase,
  isStillThere,
  listLiving,
  type PurchaseFacts,
  StorePurchaseRow,
} from './purchases.model';
import { describePurchase } from './events';
import { isServed } from './timing';

export { findAccountId as findAccountNamed, findFeeOfPurchase, isStillThere as isLiving } from './purchases.model';

/**
 * The wait before the next try at a store that refuses the merchant's credentials, or that the merchant has not set up.
 * The merchant must act first.
 */
const unansweredMs = 3_600_000;
/** Google refunds an unacknowledged purchase after three days. Before that, an operator is alerted. */
const acknowledgeAlertMs = 2.5 * 86_400_000;

/** The account that presents a purchase, and the fee that the purchase opens. */
export interface Claimant {
  merchantId: number;
  accountId: number;
  fee: MatchedFee;
  settings: Settings;
  claimEvents: (row: StorePurchaseRow, facts: PurchaseFacts) => NewEvent[];
}

export type Claimed = { outcome: 'held'; row: StorePurchaseRow } | { outcome: 'already_claimed' };

/**
 * Gives a purchase to the account that presents it, unless another account has it. A unique constraint decides between
 * two accounts that present it at once.
 */
export async function claimPurchase(
  inTransaction: Transaction,
  claimant: Claimant,
  store: StorePurchaseRow['store'],
  found: StorePurchase,
): Promise<Claimed> {
  const { merchantId, accountId } = claimant;
  const present = await merchantNow(merchantId, inTransaction);
  const row = await holdPurchase(inTransaction, claimant, store, found);
  if (row?.merchantId !== merchantId) return { outcome: 'already_claimed' };
  if (row.accountId !== accountId) {
    if (!(await mayMove(inTransaction, row, claimant.settings))) return { outcome: 'already_claimed' };
    await moveToAccount(inTransaction, row, accountId, present);
  }
  await applyAnswer(inTransaction, row, found, present, (facts) => claimant.claimEvents(row, facts));
  return { outcome: 'held', row };
}

/** Locks the purchase's row, or inserts it. Undefined if this account may not have the purchase. */
async function holdPurchase(
  inTransaction: Transaction,
  claimant: Claimant,
  store: StorePurchaseRow['store'],
  found: StorePurchase,
): Promise<StorePurchaseRow | undefined> {
  const known = await findPurchase(inTransaction, store, found.reference.id);
  if (known) return known;
  if (await isOfAnother(inTransaction, claimant, found)) return undefined;
  await insertClaimed(inTransaction, claimant, store, found);
  return (await findPurchase(inTransaction, store, found.reference.id)) ?? undefined;
}

async function insertClaimed(
  inTransaction: Transaction,
  { merchantId, accountId, fee }: Claimant,
  store: StorePurchaseRow['store'],
  found: StorePurchase,
): Promise<void> {
  const { reference, transactionId, kind, isTrial, autoRenew, purchasedAt, asOf } = found;
  const { id: originalId, environment, productId, userId = null } = reference;
  await insertPurchase(inTransaction, [
    newToken(store, kind),
    ...[merchantId, accountId, fee.itemId, fee.id, store, environment, originalId, transactionId, productId, userId],
    ...[kind, isTrial, autoRenew, purchasedAt, asOf, environment === 'production' || environmentName === 'test'],
  ]);
}

const suffixes: Record<StorePurchaseRow['store'], string> = {
  apple: 'AP',
  'google-play': 'GP',
  amazon: 'AM',
  roku: 'RK',
};

/** Tokens look like those of card payments: `S-` for a subscription, `C-` for a payment, and the payment provider. */
function newToken(store: StorePurchaseRow['store'], kind: StorePurchaseRow['kind']): string {
  return publicToken(kind === 'subscription' ? 'S' : 'C', suffixes[store]);
}

/** True if the account that the app passed to its store is another account of this merchant. */
async function isOfAnother(inTransaction: Transaction, claimant: Claimant, { accountUuid }: StorePurchase) {
  if (accountUuid === null || claimant.settings.transferPolicy === 'transfer') return false;
  const named = await findAccountId(inTransaction, claimant.merchantId, accountUuid);
  return named !== undefined && named !== claimant.accountId;
}

/** An erased account keeps no purchase from another account. */
async function mayMove(inTransaction: Transaction, row: StorePurchaseRow, settings: Settings): Promise<boolean> {
  if (settings.transferPolicy === 'transfer' || !(await isStillThere(inTransaction, row.accountId))) return true;
  return settings.transferPolicy === 'transfer_if_inactive' && !row.isOpen;
}

/** The payment in the events of a claim. */
export function describeClaimed(row: StorePurchaseRow, facts: PurchaseFacts, at: Date) {
  return describePurchase(row, facts, { status: 'success', at });
}

/** The events of a claim that succeeded. `name` makes them unique, so that they are published once. */
export function claimedEvents(
  { accountId, dedupeKey, token }: { accountId: number; dedupeKey: string; token: string },
  kind: StorePurchaseRow['kind'],
  payment: ReturnType<typeof describeClaimed>,
): NewEvent[] {
  const paid: NewEvent = {
    accountId,
    dedupeKey,
    type: 'external.payment.success',
    resource: { ...payment, external_payment_id: token },
  };
  if (kind === 'one_time') return [paid];
  const begun = { accountId, resource: payment };
  return [
    paid,
    { ...begun, dedupeKey: `${dedupeKey}:begun`, type: 'external.subscribe.success' },
    { ...begun, dedupeKey: `${dedupeKey}:subscribed`, type: 'subscribe.success' },
  ];
}

/** Asks the store for a purchase's state, applies the answer, and answers the store's consumption requests. */
export async function syncPurchase(input: SyncInput): Promise<SyncResult> {
  const result = await look(input);
  if (!(await answerRequestsOf(input.storePurchaseId))) return result;
  return { ...result, retryAfterMs: result.retryAfterMs ?? 0 };
}

/** If no check was requested or is due, only the merchant's test clock was moved: nothing is done. */
async function look({ storePurchaseId, isForced: isAsked }: SyncInput): Promise<SyncResult> {
  const row = await StorePurchaseRow.findByPk(storePurchaseId, { rejectOnEmpty: true });
  const present = await merchantNow(row.merchantId);
  if (!isAsked && (row.nextLookAt === null || row.nextLookAt > present)) return resultOf(row, present);
  const store = await findStore(row.merchantId, row.store);
  if (!store) return unanswered(row, present, unansweredMs);
  const answer = await store.lookUp(referenceOf(row));
  switch (answer.outcome) {
    case 'found':
      return change(row.id, (locked, inTransaction) => applyAnswer(inTransaction, locked, answer.purchase, present));
    case 'taken_back':
      return change(row.id, (locked, inTransaction) => applyRevocation(inTransaction, locked, present));
    case 'refused':
      logger.warn(
        { token: row.token, reason: answer.reason },
        'a store does not know a purchase that it reported before',
      );
      return unanswered(row, present, unansweredMs);
    case 'unavailable':
      return unanswered(row, present, (answer.retryAfterSeconds ?? 0) * 1000);
  }
}

function referenceOf(row: StorePurchaseRow): PurchaseReference {
  const { originalId: id, environment, productId } = row;
  return { id, environment, productId, userId: row.storeUserId ?? undefined, transactionId: row.lookUpId ?? undefined };
}

function change(
  id: number,
  apply: (row: StorePurchaseRow, inTransaction: Transaction) => Promise<unknown>,
): Promise<SyncResult> {
  return transaction(async (inTransaction) => {
    const lock = inTransaction.LOCK.UPDATE;
    const row = await StorePurchaseRow.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
    await apply(row, inTransaction);
    return resultOf(row, await merchantNow(row.merchantId, inTransaction));
  });
}

/** Ends access that has run out while the store did not answer. A purchase that is over is not checked again. */
async function unanswered(row: StorePurchaseRow, present: Date, retryAfterMs: number): Promise<SyncResult> {
  const result = await change(row.id, (locked, inTransaction) => endLapsedAccess(inTransaction, locked, present));
  const isOver = row.state === 'expired' || row.state === 'revoked';
  return retryAfterMs === unansweredMs && isOver ? { ...result, waitMs: null } : { ...result, retryAfterMs };
}

function resultOf({ state, nextLookAt, needsAcknowledgement }: StorePurchaseRow, present: Date): SyncResult {
  const waitMs = nextLookAt === null ? null : Math.max(0, nextLookAt.getTime() - present.getTime());
  return { state, waitMs, needsAcknowledgement: needsAcknowledgement && isServed(state) };
}

/**
 * Acknowledges the purchase to its store. It asks first whether that is still needed, so that a repetition is harmless.
 */
export async function acknowledgePurchase(storePurchaseId: number): Promise<{ isDone: boolean }> {
  const row = await StorePurchaseRow.findByPk(storePurchaseId, { rejectOnEmpty: true });
  const store = await findStore(row.merchantId, row.store);
  const isDone = store !== undefined && (await acknowledgeAt(store, row));
  if (isDone) await row.update({ needsAcknowledgement: false, acknowledgedAt: new Date() });
  else if (Date.now() - row.purchasedAt.getTime() > acknowledgeAlertMs)
    logger.error(
      { token: row.token, store: row.store },
      'the store will refund a purchase because it is not acknowledged',
    );
  return { isDone };
}

async function acknowledgeAt(store: AppStore, row: StorePurchaseRow): Promise<boolean> {
  const answer = await store.lookUp(referenceOf(row));
  if (answer.outcome !== 'found') return answer.outcome !== 'unavailable' && answer.outcome !== 'refused';
  if (!answer.purchase.needsAcknowledgement) return true;
  return (await store.acknowledge?.(answer.purchase)) !== 'unavailable';
}

/** Enqueues a request for a check, in the transaction of its cause. After the commit, `sendNow` sends it. */
export function enqueueSync(inTransaction: Transaction, row: Lookable, because: string): Promise<OutboxRow> {
  return enqueue(inTransaction, lookMessage(row, because, syncSignal));
}

type Lookable = Pick<StorePurchaseRow, 'id' | 'token' | 'merchantId' | 'itemId' | 'state'>;

function lookMessage(row: Lookable, because: string, signal: typeof syncSignal | typeof clockMovedSignal) {
  const { id, token, merchantId, itemId, state } = row;
  const workflowId = storePurchaseWorkflowId(token);
  return {
    messageId: `${workflowId}:${because}`,
    workflow: 'storePurchase' as const,
    workflowId,
    signal,
    input: { storePurchaseId: id },
    labels: { merchantId, itemId, state, requestId: '', summary: `item ${itemId}` },
  };
}

/**
 * Wakes the runs that wait for the merchant's time, in the transaction that moves the test clock. The relay sends the
 * signals.
 */
export async function signalStoresClockMoved(inTransaction: Transaction, merchantId: number, aheadMs: number) {
  const living = await listLiving(merchantId, inTransaction);
  const because = `clock:${aheadMs}`;
  const messages = living.map((row) => lookMessage({ ...row, merchantId }, because, clockMovedSignal));
  await enqueueAll(inTransaction, messages);
}

/** A purchase by its store's id, if an account has claimed it. */
export function findPurchase(inTransaction: Transaction, store: StorePurchaseRow['store'], originalId: string) {
  const lock = inTransaction.LOCK.UPDATE;
  return StorePurchaseRow.findOne({ where: { store, originalId }, transaction: inTransaction, lock });
}
