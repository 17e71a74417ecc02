import { type Transaction } from '../../../adapters/postgres/connection';
import { lockStack, moveAccess, type Stacked } from './model';

/** What was bought to follow on other access moves with it: up when that ends early, back when that is given back. */

interface Owner {
  accountId: number;
  itemId: number;
}

/** Something ended early, at an instant: nothing that follows on it lasts longer than what is still paid for. */
export async function moveUp(inTransaction: Transaction, { accountId, itemId }: Owner, at: Date): Promise<void> {
  await write(inTransaction, movedUp(await lockStack(inTransaction, accountId, itemId), at));
}

/** Something was given back: what has taken its place follows on it again. */
export async function moveBack(
  inTransaction: Transaction,
  { accountId, itemId }: Owner,
  returned: { id: number; from: Date },
): Promise<void> {
  await write(inTransaction, movedBack(await lockStack(inTransaction, accountId, itemId), returned));
}

/** In the order of purchase. What counts already, and what nothing comes before, stays. Answers those that move. */
export function movedUp(stack: readonly Stacked[], at: Date): Stacked[] {
  const moved: Stacked[] = [];
  const before: Stacked[] = [];
  for (const access of stack) {
    const earliest = latestEnd(before, at);
    const isEarlier = access.countsFrom !== null && access.countsFrom > earliest;
    const placed = isEarlier ? placedAt(access, earliest) : access;
    if (isEarlier) moved.push(placed);
    before.push(placed);
  }
  return moved;
}

/** `from`: since when it was away. What was bought before it, or counts from later than its end, stays. */
export function movedBack(stack: readonly Stacked[], returned: { id: number; from: Date }): Stacked[] {
  const moved: Stacked[] = [];
  let endsAt = stack.find(({ id }) => id === returned.id)?.expiresAt ?? returned.from;
  for (const access of stack.filter(({ id }) => id > returned.id)) {
    const { countsFrom } = access;
    if (countsFrom === null || countsFrom < returned.from || countsFrom >= endsAt) continue;
    const placed = placedAt(access, endsAt);
    moved.push(placed);
    endsAt = placed.expiresAt;
  }
  return moved;
}

function latestEnd(before: readonly Stacked[], at: Date): Date {
  return before.reduce((latest, { expiresAt }) => (expiresAt > latest ? expiresAt : latest), at);
}

function placedAt(access: Stacked, countsFrom: Date): Stacked {
  const byMs = countsFrom.getTime() - (access.countsFrom ?? countsFrom).getTime();
  return { ...access, countsFrom, expiresAt: new Date(access.expiresAt.getTime() + byMs) };
}

async function write(inTransaction: Transaction, moved: Stacked[]): Promise<void> {
  for (const access of moved) await moveAccess(inTransaction, access);
}
