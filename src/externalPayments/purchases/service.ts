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
  lookAgainSignal,
  type LookInput,
  type LookResult,
  storePurchaseWorkflowId,
} from '../../../workflows/messages';
import { type MatchedFee } from '../matching/service';
import { findStore, type Settings } from '../stores/service';
import { applyAnswer, applyTakenBack, moveToAccount, noteLapse } from './changes/service';
import { findAccountId, insertPurchase, isStillThere, listLiving, type PurchaseFacts, StorePurchaseRow } from './model';
import { describePurchase } from './telling/service';
import { isServed } from './timing/service';

export { findAccountId as findAccountNamed, isStillThere as isLiving } from './model';

/** Of a store that refuses the merchant, or that the merchant has not set up any more: somebody must act first. */
const unansweredMs = 3_600_000;
/** Google gives the money back after three days: from then on an operator should know. */
const acknowledgeAlertMs = 2.5 * 86_400_000;

/** Who presents a purchase, and what it opens. */
export interface Claimant {
  merchantId: number;
  accountId: number;
  fee: MatchedFee;
  settings: Settings;
  claimEvents: (row: StorePurchaseRow, facts: PurchaseFacts) => NewEvent[];
}

export type Claimed = { outcome: 'held'; row: StorePurchaseRow } | { outcome: 'already_claimed' };

/**
 * Gives a purchase to the account that presents it, or finds that another one has it. The constraint lets one of two in
 * that present it at once.
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

/** The purchase's row, locked: made by whoever comes first. Undefined: it may not be this account's. */
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

/** As those of cards: `S-` of a subscription, `C-` of a payment, and who took the money. */
function newToken(store: StorePurchaseRow['store'], kind: StorePurchaseRow['kind']): string {
  return publicToken(kind === 'subscription' ? 'S' : 'C', suffixes[store]);
}

/** The app told its store for whom it bought, and that is another account of this merchant. */
async function isOfAnother(inTransaction: Transaction, claimant: Claimant, { accountUuid }: StorePurchase) {
  if (accountUuid === null || claimant.settings.transferPolicy === 'transfer') return false;
  const named = await findAccountId(inTransaction, claimant.merchantId, accountUuid);
  return named !== undefined && named !== claimant.accountId;
}

/** Nobody keeps a purchase from the living once the account is erased. */
async function mayMove(inTransaction: Transaction, row: StorePurchaseRow, settings: Settings): Promise<boolean> {
  if (settings.transferPolicy === 'transfer' || !(await isStillThere(inTransaction, row.accountId))) return true;
  return settings.transferPolicy === 'transfer_if_inactive' && !row.isOpen;
}

/** The payment's resource, as the events of a claim tell it. */
export function describeClaimed(row: StorePurchaseRow, facts: PurchaseFacts, at: Date) {
  return describePurchase(row, facts, { status: 'success', at });
}

/** What a claim that opened something tells, under the name by which its events are told once. */
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

/**
 * Asks the store how a purchase stands, and makes everything say so. Not asked for and not due yet: nothing is done, the
 * merchant's clock may only have moved.
 */
export async function lookAtPurchase({ storePurchaseId, isAsked }: LookInput): Promise<LookResult> {
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
      return change(row.id, (locked, inTransaction) => applyTakenBack(inTransaction, locked, present));
    case 'refused':
      logger.warn({ token: row.token, reason: answer.reason }, 'a store does not know a purchase that it sold');
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
): Promise<LookResult> {
  return transaction(async (inTransaction) => {
    const lock = inTransaction.LOCK.UPDATE;
    const row = await StorePurchaseRow.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
    await apply(row, inTransaction);
    return resultOf(row, await merchantNow(row.merchantId, inTransaction));
  });
}

/** Access that has run out meanwhile is over, and its account hears it. A purchase that is over is not asked for again. */
async function unanswered(row: StorePurchaseRow, present: Date, retryAfterMs: number): Promise<LookResult> {
  const result = await change(row.id, (locked, inTransaction) => noteLapse(inTransaction, locked, present));
  const isOver = row.state === 'expired' || row.state === 'revoked';
  return retryAfterMs === unansweredMs && isOver ? { ...result, waitMs: null } : { ...result, retryAfterMs };
}

function resultOf({ state, nextLookAt, needsAcknowledgement }: StorePurchaseRow, present: Date): LookResult {
  const waitMs = nextLookAt === null ? null : Math.max(0, nextLookAt.getTime() - present.getTime());
  return { state, waitMs, needsAcknowledgement: needsAcknowledgement && isServed(state) };
}

/** Tells the store that the buyer has been served. Twice is harmless: the store is asked first whether it still waits. */
export async function acknowledgePurchase(storePurchaseId: number): Promise<{ isDone: boolean }> {
  const row = await StorePurchaseRow.findByPk(storePurchaseId, { rejectOnEmpty: true });
  const store = await findStore(row.merchantId, row.store);
  const isDone = store !== undefined && (await acknowledgeAt(store, row));
  if (isDone) await row.update({ needsAcknowledgement: false, acknowledgedAt: new Date() });
  else if (Date.now() - row.purchasedAt.getTime() > acknowledgeAlertMs)
    logger.error({ token: row.token, store: row.store }, 'a purchase will be given back: it is not acknowledged');
  return { isDone };
}

async function acknowledgeAt(store: AppStore, row: StorePurchaseRow): Promise<boolean> {
  const answer = await store.lookUp(referenceOf(row));
  if (answer.outcome !== 'found') return answer.outcome !== 'unavailable' && answer.outcome !== 'refused';
  if (!answer.purchase.needsAcknowledgement) return true;
  return (await store.acknowledge?.(answer.purchase)) !== 'unavailable';
}

/** In the transaction of what makes another look worth while; `sendNow` with the answer after the commit. */
export function promiseLook(inTransaction: Transaction, row: Lookable, because: string): Promise<OutboxRow> {
  return enqueue(inTransaction, lookMessage(row, because, lookAgainSignal));
}

type Lookable = Pick<StorePurchaseRow, 'id' | 'token' | 'merchantId' | 'itemId' | 'state'>;

function lookMessage(row: Lookable, because: string, signal: typeof lookAgainSignal | typeof clockMovedSignal) {
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

/** Wakes what waits for a time of the merchant's, in the transaction that moves its clock; the relay sends it. */
export async function tellStoresClockMoved(inTransaction: Transaction, merchantId: number, aheadMs: number) {
  const living = await listLiving(merchantId, inTransaction);
  const because = `clock:${aheadMs}`;
  const messages = living.map((row) => lookMessage({ ...row, merchantId }, because, clockMovedSignal));
  await enqueueAll(inTransaction, messages);
}

/** A purchase by its store's name of it, if an account has claimed it. */
export function findPurchase(inTransaction: Transaction, store: StorePurchaseRow['store'], originalId: string) {
  const lock = inTransaction.LOCK.UPDATE;
  return StorePurchaseRow.findOne({ where: { store, originalId }, transaction: inTransaction, lock });
}
