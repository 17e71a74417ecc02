import { type StorePurchase } from '../../adapters/appStores/store';
import { type Transaction } from '../../adapters/postgres/connection';
import { recordTrial } from '../../entitlements/trials';
import { type NewEvent } from '../../notifications/events';
import { publish } from '../../notifications/publish';
import { recordStoreMovement } from '../../ledger/ledger';
import { recordStoreStep, type StoreState } from '../../ledger/storeSteps';
import { monthlyMinor } from '../../billing/proration';
import { matchProduct, storePriceOf } from '../productMapping';
import {
  addEndEvents,
  closeSource,
  snapshotOf,
  writeAccess,
  type PurchaseSnapshot,
  type PurchaseUpdate,
} from './accesses';
import {
  findReplaced,
  getFacts,
  nextAccessSource,
  type PurchaseFacts,
  recordChange,
  refundPayment,
  StorePurchaseRow,
  writePayment,
} from './purchases.model';
import { eventsOf, type PurchaseChange } from './events';
import { keepAnsweredRefunds, settleRefunds, withRevocation } from './refunds';
import { isServed, nextLook, unnamedGraceMs } from './timing';

/**
 * Applies a store's answer to a purchase: its row, access, payments and events. A repeated answer changes nothing, and
 * an older one is ignored.
 */

/** `claimEvents` are the outcome of a claim. They are published after all other events. */
export async function applyAnswer(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  found: StorePurchase,
  present: Date,
  claimEvents?: (facts: PurchaseFacts) => NewEvent[],
): Promise<void> {
  const isFirst = row.sequence === 0;
  if (!isFirst && (found.asOf < row.asOf || row.replacedAt !== null)) {
    return publishClaim(inTransaction, row, claimEvents);
  }
  await keepAnsweredRefunds(inTransaction, row, found);
  const before = snapshotOf(row);
  applyState(row, await withRevocation(inTransaction, row, found));
  if (!isFirst && (row.productId !== before.productId || !row.isMapped)) await applyProduct(inTransaction, row);
  const changes: PurchaseChange[] = isFirst ? ['bought'] : changesOf(before, row);
  await writePurchase({ inTransaction, row, before, present, events: [] }, changes, claimEvents);
  if (isFirst && found.replacesId !== null) await endReplaced(inTransaction, row, found.replacesId, present);
}

/** Ends a purchase that the store has revoked without an answer, or no longer knows. */
export async function applyRevocation(inTransaction: Transaction, row: StorePurchaseRow, present: Date): Promise<void> {
  if (row.state === 'revoked') return lookLater(inTransaction, row, present);
  const before = snapshotOf(row);
  row.set({ state: 'revoked', autoRenew: false, revokedAt: row.revokedAt ?? present });
  await writePurchase({ inTransaction, row, before, present, events: [] }, ['revoked']);
}

/**
 * Ends access at its known end while the store is not available. The account gets the event, and the store is asked
 * again.
 */
export async function endLapsedAccess(inTransaction: Transaction, row: StorePurchaseRow, present: Date): Promise<void> {
  if (!row.isOpen || (row.accessEndsAt !== null && row.accessEndsAt > present)) return;
  const update: PurchaseUpdate = { inTransaction, row, before: snapshotOf(row), present, events: [] };
  row.set({ isOpen: false });
  await addEndEvents(update, row.itemId, row.accountId);
  await row.save({ transaction: inTransaction });
  await publish(inTransaction, row.merchantId, update.events);
}

/** Moves a purchase to another account of the merchant. The previous account loses its access. */
export async function moveToAccount(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  accountId: number,
  present: Date,
): Promise<void> {
  const before = snapshotOf(row);
  await closeSource(inTransaction, before, present);
  // Recorded before the row names the new account.
  await recordStoreMovement(inTransaction, {
    ...notCounting(row),
    reason: 'moved',
    isPaymentChurn: false,
    at: present,
  });
  row.set({ accountId, accessSourceId: await nextAccessSource(inTransaction), isOpen: false, accessEndsAt: null });
  await writePurchase({ inTransaction, row, before, present, events: [] }, ['moved']);
}

function applyState(row: StorePurchaseRow, found: StorePurchase): void {
  const { reference, state, transactionId, expiresAt } = found;
  const isSamePeriod = row.sequence > 0 && row.transactionId === transactionId;
  const unnamedGraceEnd = state === 'grace' && expiresAt ? new Date(expiresAt.getTime() + unnamedGraceMs) : null;
  row.set({
    state,
    transactionId,
    productId: reference.productId === '' ? row.productId : reference.productId,
    lookUpId: reference.transactionId ?? row.lookUpId,
    storeUserId: reference.userId ?? row.storeUserId,
    isTrial: found.isTrial,
    autoRenew: found.autoRenew,
    ...storePriceOf(found),
    countryIso: found.countryIso ?? row.countryIso,
    purchasedAt: found.purchasedAt,
    periodStartsAt: found.periodStartsAt,
    expiresAt,
    // A store may stop reporting the end of a grace period while its period still runs, so the known end is kept.
    graceEndsAt: found.graceEndsAt ?? unnamedGraceEnd ?? (isSamePeriod ? row.graceEndsAt : null),
    resumesAt: found.resumesAt,
    revokedAt: found.revokedAt,
    nextProductId: found.nextProductId,
    needsAcknowledgement: found.needsAcknowledgement,
    asOf: found.asOf,
  });
}

/** A changed product is another fee, perhaps of another item. A product that no fee is mapped to gives no access. */
async function applyProduct(inTransaction: Transaction, row: StorePurchaseRow): Promise<void> {
  const { merchantId, store, productId, kind } = row;
  const fee = await matchProduct(merchantId, { store, productId, kind }, inTransaction);
  row.set({ isMapped: fee !== undefined });
  if (fee && fee.id !== row.accessFeeId) row.set({ accessFeeId: fee.id, itemId: fee.itemId });
}

function changesOf(before: PurchaseSnapshot, row: StorePurchaseRow): PurchaseChange[] {
  const changes: PurchaseChange[] = [];
  const isPaid = row.transactionId !== before.transactionId;
  const wasServed = isServed(before.state) && before.state !== 'grace';
  if (row.accessFeeId !== before.accessFeeId) changes.push('plan_changed');
  if (isServed(row.state)) {
    if (!wasServed && row.state === 'active') changes.push('recovered');
    else if (isPaid && row.state === 'active') changes.push(before.isTrial && !row.isTrial ? 'converted' : 'renewed');
    else if (isLater(row.expiresAt, before.expiresAt) && row.state === 'active') changes.push('extended');
  }
  if (row.state !== before.state) {
    const named = { grace: 'past_due', on_hold: 'on_hold', paused: 'paused', expired: 'expired', revoked: 'revoked' };
    const what = (named as Partial<Record<typeof row.state, PurchaseChange>>)[row.state];
    if (what !== undefined) changes.push(what);
  }
  // A recovered purchase renews automatically, so no event says so.
  if (row.autoRenew !== before.autoRenew && isServed(row.state) && !(row.autoRenew && changes.includes('recovered')))
    changes.push(row.autoRenew ? 'auto_renew_on' : 'auto_renew_off');
  if (before.isMapped && !row.isMapped) changes.push('plan_unknown');
  if (before.state === 'revoked' && isServed(row.state) && !isPaid) changes.push('refund_reversed');
  return changes;
}

function isLater(a: Date | null, b: Date | null): boolean {
  return a !== null && b !== null && a > b;
}

/** Writes the row, the access, the payments, the log and at last the events. */
async function writePurchase(
  update: PurchaseUpdate,
  changes: PurchaseChange[],
  claimEvents?: (facts: PurchaseFacts) => NewEvent[],
): Promise<void> {
  const { inTransaction, row, before, present, events } = update;
  const facts = await getFacts(inTransaction, row);
  row.set({ sequence: before.sequence + changes.length, updatedAt: new Date() });
  for (const [index, what] of changes.entries()) {
    const fromState = before.sequence === 0 ? null : before.state;
    await recordChange(inTransaction, row, { sequence: before.sequence + index + 1, what, fromState });
  }
  // No data is written for an account that is being erased.
  if (!facts.isErased) await writePayments(update);
  // The refund of a revoked purchase is published with the purchase's end.
  const except = row.state === 'revoked' ? row.transactionId : null;
  if (!facts.isErased) events.push(...(await settleRefunds(inTransaction, row, facts, { present, except })));
  await writeAccess(update, facts);
  for (const what of changes) events.push(...eventsOf(row, what, facts, present).filter(isFirstEnd(before)));
  if (claimEvents) events.push(...claimEvents(facts));
  row.set({ nextLookAt: isOver(row, facts) ? null : nextLook(row, present, row.id) });
  await row.save({ transaction: inTransaction });
  await writeLedger(update, facts, changes);
  if (events.length > 0 && !facts.isErased) await publish(inTransaction, row.merchantId, events);
}

/** A purchase that has expired ends only once, also if it is refunded or replaced afterwards. */
const isFirstEnd =
  (before: PurchaseSnapshot) =>
  ({ type }: NewEvent) =>
    type !== 'subscribe.expired' || before.state !== 'expired';

const isOver = (row: StorePurchaseRow, { isErased }: PurchaseFacts) => isErased || row.replacedAt !== null;

async function writePayments({ inTransaction, row, before, present }: PurchaseUpdate): Promise<void> {
  if (row.state === 'revoked') return refundPayment(inTransaction, row, row.revokedAt ?? present);
  if (row.state === 'pending') return;
  const isFirst = before.sequence === 0;
  const paidAt = row.periodStartsAt ?? (isFirst ? row.purchasedAt : (before.expiresAt ?? present));
  await writePayment(inTransaction, row, paidAt);
  if (row.isTrial) {
    const { merchantId, accountId, itemId, token: subject } = row;
    await recordTrial(inTransaction, { merchantId, accountId, itemId, subject });
  }
}

/** The purchases of an erased account no longer count. */
async function writeLedger(update: PurchaseUpdate, facts: PurchaseFacts, changes: PurchaseChange[]): Promise<void> {
  const { inTransaction, row, before, present } = update;
  const isPaymentChurn = row.state === 'on_hold' || (row.state === 'expired' && before.state === 'grace');
  const isCounted = row.countsMoney && row.replacedAt === null && !facts.isErased;
  const worth = isCounted && isPaidFor(row) ? worthOf(row, facts) : notCounting(row);
  const reason = changes[0] ?? 'changed';
  await recordStoreMovement(inTransaction, { ...worth, reason, isPaymentChurn, at: present });
  if (row.kind !== 'subscription' || !row.countsMoney) return;
  const about = { storePurchaseId: row.id, reason, at: present };
  await recordStoreStep(inTransaction, about, {
    state: isCounted ? stateOf(row) : 'canceled',
    ...priceOf({ amountMinor: row.isTrial ? null : row.amountMinor, currency: row.currency }, facts),
    counts: worth.counts,
    isNewPayment: before.sequence === 0 || row.transactionId !== before.transactionId,
    goesOnPaid: update.goesOnPaid === true,
  });
}

const isPaidFor = (row: StorePurchaseRow) => row.kind === 'subscription' && isServed(row.state) && !row.isTrial;

/** The state in the terms of card subscriptions. */
function stateOf({ state, isTrial }: StorePurchaseRow): StoreState {
  if (state === 'pending') return 'incomplete';
  if (state === 'grace') return 'past_due';
  return state === 'active' && isTrial ? 'trialing' : state;
}

function worthOf(row: StorePurchaseRow, facts: PurchaseFacts) {
  const { quantity, period } = facts;
  const { amountMinor: priceMinor, currency } = priceOf(row, facts);
  const mrrMinor = monthlyMinor({ priceMinor, quantity, period });
  return { storePurchaseId: row.id, counts: true, mrrMinor, currency };
}

type Priced = Pick<StorePurchaseRow, 'amountMinor' | 'currency'>;

/** The store's price, or the fee's if the store reports none. */
function priceOf({ amountMinor, currency }: Priced, { feeMinor, feeCurrency }: PurchaseFacts) {
  if (amountMinor === null || currency === null) return { amountMinor: feeMinor, currency: feeCurrency };
  return { amountMinor, currency };
}

function notCounting({ id, currency }: StorePurchaseRow) {
  return { storePurchaseId: id, counts: false, mrrMinor: 0, currency: currency ?? '' };
}

/** A replaced purchase gives no access, whatever its store still reports. */
async function endReplaced(inTransaction: Transaction, by: StorePurchaseRow, replacesId: string, present: Date) {
  const id = await findReplaced(inTransaction, by.store, by.merchantId, replacesId);
  if (id === undefined || id === by.id) return;
  const lock = inTransaction.LOCK.UPDATE;
  const old = await StorePurchaseRow.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
  const before = snapshotOf(old);
  old.set({ replacedAt: present, autoRenew: false, state: old.state === 'revoked' ? 'revoked' : 'expired' });
  const goesOnPaid = isPaidFor(by);
  await writePurchase({ inTransaction, row: old, before, present, events: [], goesOnPaid }, ['replaced']);
}

async function lookLater(inTransaction: Transaction, row: StorePurchaseRow, present: Date): Promise<void> {
  await row.update({ nextLookAt: nextLook(row, present, row.id) }, { transaction: inTransaction });
}

async function publishClaim(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  claimEvents?: (facts: PurchaseFacts) => NewEvent[],
): Promise<void> {
  if (!claimEvents) return;
  const facts = await getFacts(inTransaction, row);
  await publish(inTransaction, row.merchantId, claimEvents(facts));
}
