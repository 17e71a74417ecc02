import { type Transaction } from '../../adapters/postgres/connection';
import { describeRevocation, endAccess, grantAccess } from '../../entitlements/entitlements';
import { type NewEvent } from '../../notifications/events';
import { nextAccessSource, type PurchaseFacts, type StorePurchaseRow } from './purchases.model';
import { accessEnd, isServed } from './timing';

/** The effect of a change of a purchase on its access, and the events of that. */

const comparedFields = [
  ...(['state', 'autoRenew', 'transactionId', 'productId', 'expiresAt', 'itemId', 'accessFeeId', 'isTrial'] as const),
  ...(['accountId', 'sequence', 'accessSourceId', 'isOpen', 'isMapped'] as const),
] as const;

/** The purchase before the store's answer. */
export type PurchaseSnapshot = Pick<StorePurchaseRow, (typeof comparedFields)[number]>;

/** A change of a purchase in progress. */
export interface PurchaseUpdate {
  inTransaction: Transaction;
  row: StorePurchaseRow;
  before: PurchaseSnapshot;
  present: Date;
  /** Events in the order that listeners rely on. */
  events: NewEvent[];
  /** A paid purchase replaces it. */
  goesOnPaid?: boolean;
}

export function snapshotOf(row: StorePurchaseRow): PurchaseSnapshot {
  return Object.fromEntries(comparedFields.map((name) => [name, row[name]])) as unknown as PurchaseSnapshot;
}

/**
 * Opens, extends, shortens or ends the access that the row now states. Adds the events of its start and end to
 * `update.events`.
 */
export async function writeAccess(update: PurchaseUpdate, facts: PurchaseFacts): Promise<void> {
  const { inTransaction, row, before, present } = update;
  const isElsewhere = row.itemId !== before.itemId && before.sequence > 0;
  if (isElsewhere) {
    await closeSource(inTransaction, before, present);
    row.set({ accessSourceId: await nextAccessSource(inTransaction), accessEndsAt: null, isOpen: false });
  }
  const isRefused = facts.isErased || row.replacedAt !== null || !row.isMapped;
  const length = { quantity: facts.quantity, period: facts.period };
  const ends = isRefused ? endedBy(row, present) : accessEnd(row, length, present);
  const isOpen = !isRefused && isServed(row.state) && ends !== null && ends > present;
  const granted = ends !== null && isServed(row.state) && !isRefused ? await grant(update, facts, ends) : undefined;
  if (ends !== null) await endAccess(inTransaction, { source: 'external', sourceId: row.accessSourceId }, ends);
  row.set({ accessEndsAt: ends });
  if (before.isOpen && (isElsewhere || row.accountId !== before.accountId))
    await addEndEvents(update, before.itemId, before.accountId);
  else if (before.isOpen && !isOpen) await addEndEvents(update, row.itemId, row.accountId);
  if (isOpen && !row.isOpen && granted) {
    const { accountId, token } = row;
    const dedupeKey = `${token}:granted:${row.accessSourceId}:${present.getTime()}`;
    update.events.push({ type: 'access.granted', accountId, dedupeKey, resource: granted });
  }
  row.set({ isOpen });
}

function endedBy({ accessEndsAt }: StorePurchaseRow, present: Date): Date | null {
  return accessEndsAt !== null && accessEndsAt > present ? present : accessEndsAt;
}

/** Sets the end of access to exactly `ends`: `grantAccess` extends it, ending it early shortens it. */
function grant({ inTransaction, row }: PurchaseUpdate, facts: PurchaseFacts, ends: Date) {
  return grantAccess(inTransaction, {
    merchantId: row.merchantId,
    account: { id: row.accountId, uuid: facts.accountUuid, merchantUuid: facts.merchantUuid },
    itemId: row.itemId,
    accessFeeId: row.accessFeeId,
    source: 'external',
    sourceId: row.accessSourceId,
    ipAddress: '',
    startsAt: row.periodStartsAt ?? row.purchasedAt,
    expiresAt: ends,
    storeEnvironment: row.environment,
  });
}

/** Ends the access that the purchase has given until now, if it is open. */
export async function closeSource(inTransaction: Transaction, before: PurchaseSnapshot, present: Date): Promise<void> {
  if (before.isOpen) await endAccess(inTransaction, { source: 'external', sourceId: before.accessSourceId }, present);
}

/** Adds the events of the end of access. */
export async function addEndEvents(update: PurchaseUpdate, itemId: number, accountId: number): Promise<void> {
  const { inTransaction, row, before, present, events } = update;
  const dedupeKey = `${row.token}:revoked:${before.accessSourceId}:${present.getTime()}`;
  const resource = await describeRevocation(inTransaction, itemId);
  events.push({ type: 'access.revoked', accountId, dedupeKey, resource });
}
