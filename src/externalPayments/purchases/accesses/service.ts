import { type Transaction } from '../../../adapters/postgres/connection';
import { describeRevocation, endAccess, grantAccess } from '../../../items/access/service';
import { type NewEvent } from '../../../notifications/events';
import { nextAccessSource, type PurchaseFacts, type StorePurchaseRow } from '../model';
import { accessEnd, isServed } from '../timing/service';

/** What a change to a purchase does to the access that it gives, and what is told of that. */

const remembered = [
  ...(['state', 'autoRenew', 'transactionId', 'productId', 'expiresAt', 'itemId', 'accessFeeId', 'isTrial'] as const),
  ...(['accountId', 'sequence', 'accessSourceId', 'isOpen'] as const),
] as const;

/** A purchase as it was before an answer. */
export type Before = Pick<StorePurchaseRow, (typeof remembered)[number]>;

/** A change in the making. */
export interface Moment {
  inTransaction: Transaction;
  row: StorePurchaseRow;
  before: Before;
  present: Date;
  /** Filled in the order that listeners rely on. */
  events: NewEvent[];
  /** Another purchase, which is paid for, takes its place. */
  goesOnPaid?: boolean;
}

export function remember(row: StorePurchaseRow): Before {
  return Object.fromEntries(remembered.map((name) => [name, row[name]])) as unknown as Before;
}

/** Opens, extends, shortens or ends it, as the row now says; `moment.events` is told when it opens and when it ends. */
export async function writeAccess(moment: Moment, facts: PurchaseFacts): Promise<void> {
  const { inTransaction, row, before, present } = moment;
  const isElsewhere = row.itemId !== before.itemId && before.sequence > 0;
  if (isElsewhere) {
    await closeSource(inTransaction, before, present);
    row.set({ accessSourceId: await nextAccessSource(inTransaction), accessEndsAt: null, isOpen: false });
  }
  const isRefused = facts.isErased || row.replacedAt !== null;
  const length = { quantity: facts.quantity, period: facts.period };
  const ends = isRefused ? endedBy(row, present) : accessEnd(row, length, present);
  const isOpen = !isRefused && isServed(row.state) && ends !== null && ends > present;
  const granted = ends !== null && isServed(row.state) && !isRefused ? await grant(moment, facts, ends) : undefined;
  if (ends !== null) await endAccess(inTransaction, { source: 'external', sourceId: row.accessSourceId }, ends);
  row.set({ accessEndsAt: ends });
  if (before.isOpen && (isElsewhere || row.accountId !== before.accountId))
    await tellEnd(moment, before.itemId, before.accountId);
  else if (before.isOpen && !isOpen) await tellEnd(moment, row.itemId, row.accountId);
  if (isOpen && !row.isOpen && granted) {
    const { accountId, token } = row;
    const dedupeKey = `${token}:granted:${row.accessSourceId}:${present.getTime()}`;
    moment.events.push({ type: 'access.granted', accountId, dedupeKey, resource: granted });
  }
  row.set({ isOpen });
}

function endedBy({ accessEndsAt }: StorePurchaseRow, present: Date): Date | null {
  return accessEndsAt !== null && accessEndsAt > present ? present : accessEndsAt;
}

/** Exactly until `ends`: to extend is the grant's part, to shorten that of the end. */
function grant({ inTransaction, row }: Moment, facts: PurchaseFacts, ends: Date) {
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

/** What the purchase gave until now ends, where it is open. */
export async function closeSource(inTransaction: Transaction, before: Before, present: Date): Promise<void> {
  if (before.isOpen) await endAccess(inTransaction, { source: 'external', sourceId: before.accessSourceId }, present);
}

/** Adds to the events that the account sees the item no more. */
export async function tellEnd(moment: Moment, itemId: number, accountId: number): Promise<void> {
  const { inTransaction, row, before, present, events } = moment;
  const dedupeKey = `${row.token}:revoked:${before.accessSourceId}:${present.getTime()}`;
  const resource = await describeRevocation(inTransaction, itemId);
  events.push({ type: 'access.revoked', accountId, dedupeKey, resource });
}
