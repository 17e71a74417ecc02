import { type StorePurchase } from '../../../adapters/appStores/store';
import { type Transaction } from '../../../adapters/postgres/connection';
import { recordTrial } from '../../../items/access/trials/service';
import { type NewEvent } from '../../../notifications/events';
import { publish } from '../../../notifications/publish';
import { recordStoreMovement } from '../../../reports/ledger/service';
import { recordStoreStep, type StoreState } from '../../../reports/storeSteps/service';
import { isCurrency, toMajor } from '../../../subscriptions/billing/money';
import { monthlyMinor } from '../../../subscriptions/billing/proration';
import { matchProduct } from '../../matching/service';
import { type Before, closeSource, type Moment, remember, tellEnd, writeAccess } from '../accesses/service';
import {
  findReplaced,
  getFacts,
  nextAccessSource,
  type PurchaseFacts,
  recordHappening,
  refundPayment,
  StorePurchaseRow,
  writePayment,
} from '../model';
import { eventsOf, type Happening } from '../telling/service';
import { isServed, nextLook, unnamedGraceMs } from '../timing/service';

/**
 * Makes a purchase's row, its entitlement, its payments and its events say what the store said last. Told the same twice
 * it changes nothing the second time; told something older, nothing at all (decisions 7).
 */

/** `claimEvents`: told after the access and all else: the outcome of a claim. */
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
  const before = remember(row);
  takeOver(row, found);
  if (!isFirst && row.productId !== before.productId) await followProduct(inTransaction, row);
  const happened: Happening[] = isFirst ? ['bought'] : whatHappened(before, row);
  await writeDown({ inTransaction, row, before, present, events: [] }, happened, claimEvents);
  if (isFirst && found.replacesId !== null) await endReplaced(inTransaction, row, found.replacesId, present);
}

/** The store has taken it back and tells nothing more, or nothing at all of it any longer. */
export async function applyTakenBack(inTransaction: Transaction, row: StorePurchaseRow, present: Date): Promise<void> {
  if (row.state === 'revoked') return lookLater(inTransaction, row, present);
  const before = remember(row);
  row.set({ state: 'revoked', autoRenew: false, revokedAt: row.revokedAt ?? present });
  await writeDown({ inTransaction, row, before, present, events: [] }, ['revoked']);
}

/** What the store could not be asked about ends by itself; the account is told, and the store is asked again. */
export async function noteLapse(inTransaction: Transaction, row: StorePurchaseRow, present: Date): Promise<void> {
  if (!row.isOpen || (row.accessEndsAt !== null && row.accessEndsAt > present)) return;
  const moment: Moment = { inTransaction, row, before: remember(row), present, events: [] };
  row.set({ isOpen: false });
  await tellEnd(moment, row.itemId, row.accountId);
  await row.save({ transaction: inTransaction });
  await publish(inTransaction, row.merchantId, moment.events);
}

/** Another account of the merchant takes the purchase over: the one loses its access, the other gets it. */
export async function moveToAccount(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  accountId: number,
  present: Date,
): Promise<void> {
  const before = remember(row);
  await closeSource(inTransaction, before, present);
  // While the row still names the one who brought it.
  await recordStoreMovement(inTransaction, {
    ...notCounting(row),
    reason: 'moved',
    isPaymentChurn: false,
    at: present,
  });
  row.set({ accountId, accessSourceId: await nextAccessSource(inTransaction), isOpen: false, accessEndsAt: null });
  await writeDown({ inTransaction, row, before, present, events: [] }, ['moved']);
}

function takeOver(row: StorePurchaseRow, found: StorePurchase): void {
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
    ...pricedAs(found),
    countryIso: found.countryIso ?? row.countryIso,
    purchasedAt: found.purchasedAt,
    periodStartsAt: found.periodStartsAt,
    expiresAt,
    // Of a period that grace has followed on, the end of that stays known when the store tells of it no more.
    graceEndsAt: found.graceEndsAt ?? unnamedGraceEnd ?? (isSamePeriod ? row.graceEndsAt : null),
    resumesAt: found.resumesAt,
    revokedAt: found.revokedAt,
    nextProductId: found.nextProductId,
    needsAcknowledgement: found.needsAcknowledgement,
    asOf: found.asOf,
  });
}

/** In minor units, to the nearest; a store that tells no price, or in no currency, leaves it open. */
function pricedAs({ price, isTrial }: StorePurchase): { amountMinor: number | null; currency: string | null } {
  if (price === null || !isCurrency(price.currency)) return { amountMinor: null, currency: null };
  const { amount, currency } = price;
  return { amountMinor: isTrial ? 0 : Math.round(amount / toMajor(1, currency)), currency };
}

/** Another product is another fee, perhaps of another item; one that nobody has named changes nothing. */
async function followProduct(inTransaction: Transaction, row: StorePurchaseRow): Promise<void> {
  const fee = await matchProduct(row.merchantId, row.store, row.productId, inTransaction);
  if (fee && fee.id !== row.accessFeeId) row.set({ accessFeeId: fee.id, itemId: fee.itemId });
}

function whatHappened(before: Before, row: StorePurchaseRow): Happening[] {
  const happened: Happening[] = [];
  const isPaid = row.transactionId !== before.transactionId;
  const wasServed = isServed(before.state) && before.state !== 'grace';
  if (row.accessFeeId !== before.accessFeeId) happened.push('plan_changed');
  if (isServed(row.state)) {
    if (!wasServed && row.state === 'active') happened.push('recovered');
    else if (isPaid && row.state === 'active') happened.push(before.isTrial && !row.isTrial ? 'converted' : 'renewed');
    else if (isLater(row.expiresAt, before.expiresAt) && row.state === 'active') happened.push('extended');
  }
  if (row.state !== before.state) {
    const named = { grace: 'past_due', on_hold: 'on_hold', paused: 'paused', expired: 'expired', revoked: 'revoked' };
    const what = (named as Partial<Record<typeof row.state, Happening>>)[row.state];
    if (what !== undefined) happened.push(what);
  }
  // What has come back renews of itself: that it does is no news.
  if (row.autoRenew !== before.autoRenew && isServed(row.state) && !(row.autoRenew && happened.includes('recovered')))
    happened.push(row.autoRenew ? 'auto_renew_on' : 'auto_renew_off');
  return happened;
}

function isLater(a: Date | null, b: Date | null): boolean {
  return a !== null && b !== null && a > b;
}

/** The row, the entitlement, the payments, what happened, and at last the events, in one transaction. */
async function writeDown(
  moment: Moment,
  happened: Happening[],
  claimEvents?: (facts: PurchaseFacts) => NewEvent[],
): Promise<void> {
  const { inTransaction, row, before, present, events } = moment;
  const facts = await getFacts(inTransaction, row);
  row.set({ sequence: before.sequence + happened.length, updatedAt: new Date() });
  for (const [index, what] of happened.entries()) {
    const fromState = before.sequence === 0 ? null : before.state;
    await recordHappening(inTransaction, row, { sequence: before.sequence + index + 1, what, fromState });
  }
  // Nothing is written any more for an account that is being erased.
  if (!facts.isErased) await writePayments(moment);
  await writeAccess(moment, facts);
  for (const what of happened) events.push(...eventsOf(row, what, facts, present));
  if (claimEvents) events.push(...claimEvents(facts));
  row.set({ nextLookAt: isOver(row, facts) ? null : nextLook(row, present, row.id) });
  await row.save({ transaction: inTransaction });
  await writeLedger(moment, facts, happened);
  if (events.length > 0 && !facts.isErased) await publish(inTransaction, row.merchantId, events);
}

const isOver = (row: StorePurchaseRow, { isErased }: PurchaseFacts) => isErased || row.replacedAt !== null;

async function writePayments({ inTransaction, row, before, present }: Moment): Promise<void> {
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

/** Of an account that is erased nothing counts any more. */
async function writeLedger(moment: Moment, facts: PurchaseFacts, happened: Happening[]): Promise<void> {
  const { inTransaction, row, before, present } = moment;
  const isPaymentChurn = row.state === 'on_hold' || (row.state === 'expired' && before.state === 'grace');
  const isCounted = row.countsMoney && row.replacedAt === null && !facts.isErased;
  const worth = isCounted && isPaidFor(row) ? worthOf(row, facts) : notCounting(row);
  const reason = happened[0] ?? 'changed';
  await recordStoreMovement(inTransaction, { ...worth, reason, isPaymentChurn, at: present });
  if (row.kind !== 'subscription' || !row.countsMoney) return;
  const about = { storePurchaseId: row.id, reason, at: present };
  await recordStoreStep(inTransaction, about, {
    state: isCounted ? stateOf(row) : 'canceled',
    ...priceOf({ amountMinor: row.isTrial ? null : row.amountMinor, currency: row.currency }, facts),
    counts: worth.counts,
    isNewPayment: before.sequence === 0 || row.transactionId !== before.transactionId,
    goesOnPaid: moment.goesOnPaid === true,
  });
}

const isPaidFor = (row: StorePurchaseRow) => row.kind === 'subscription' && isServed(row.state) && !row.isTrial;

/** In the words of subscriptions by card. */
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

/** What the store tells of its price, or else the fee's. */
function priceOf({ amountMinor, currency }: Priced, { feeMinor, feeCurrency }: PurchaseFacts) {
  if (amountMinor === null || currency === null) return { amountMinor: feeMinor, currency: feeCurrency };
  return { amountMinor, currency };
}

function notCounting({ id, currency }: StorePurchaseRow) {
  return { storePurchaseId: id, counts: false, mrrMinor: 0, currency: currency ?? '' };
}

/** The purchase that another replaces gives no access any more, whatever its store still says. */
async function endReplaced(inTransaction: Transaction, by: StorePurchaseRow, replacesId: string, present: Date) {
  const id = await findReplaced(inTransaction, by.store, by.merchantId, replacesId);
  if (id === undefined || id === by.id) return;
  const lock = inTransaction.LOCK.UPDATE;
  const old = await StorePurchaseRow.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
  const before = remember(old);
  old.set({ replacedAt: present, autoRenew: false, state: old.state === 'revoked' ? 'revoked' : 'expired' });
  const goesOnPaid = isPaidFor(by);
  await writeDown({ inTransaction, row: old, before, present, events: [], goesOnPaid }, ['replaced']);
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
