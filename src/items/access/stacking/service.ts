import { type Transaction } from '../../../adapters/postgres/connection';
import { listFollowing, lockStack, moveAccess, type Stacked } from './model';

/** What was bought to follow on other access moves with it: up when that ends early, back when that is given back. */

interface Owner {
  accountId: number;
  itemId: number;
}

/** Something ended early, at an instant: nothing that follows on it lasts longer than what is still paid for. */
export function moveUp(inTransaction: Transaction, owner: Owner, at: Date): Promise<void> {
  return moveEach(inTransaction, owner, (stack) => movedUp(stack, at));
}

/** Something was given back: what has taken its place follows on it again. */
export function moveBack(
  inTransaction: Transaction,
  owner: Owner,
  returned: { id: number; from: Date },
): Promise<void> {
  return moveEach(inTransaction, owner, (stack) => movedBack(stack, returned));
}

/** What follows on access to the item, and where that is a package on what the package opens. */
async function moveEach(
  inTransaction: Transaction,
  { accountId, itemId }: Owner,
  moved: (stack: Stacked[]) => Stacked[],
): Promise<void> {
  for (const id of [itemId, ...(await listFollowing(inTransaction, accountId, itemId))])
    for (const access of moved(await lockStack(inTransaction, accountId, id))) await moveAccess(inTransaction, access);
}

/** In the order of purchase. What counts already, and what nothing comes before, stays. Answers those that move. */
export function movedUp(stack: readonly Stacked[], at: Date): Stacked[] {
  const moved: Stacked[] = [];
  const before: Stacked[] = [];
  for (const access of stack) {
    const earliest = latestEnd(
      before.filter((other) => isFollowed(access, other)),
      at,
    );
    const isEarlier = !access.isOfPackage && access.countsFrom !== null && access.countsFrom > earliest;
    const placed = isEarlier ? placedAt(access, earliest) : access;
    if (isEarlier) moved.push(placed);
    before.push(placed);
  }
  return moved;
}

/** `from`: since when it was away. What was bought before it, or counts from later than its end, stays. */
export function movedBack(stack: readonly Stacked[], returned: { id: number; from: Date }): Stacked[] {
  const moved: Stacked[] = [];
  const back = stack.find(({ id }) => id === returned.id);
  let endsAt = back?.expiresAt ?? returned.from;
  const followers = stack.filter((access) => access.id > returned.id && !access.isOfPackage);
  for (const access of followers.filter((follower) => !back || isFollowed(follower, back))) {
    const { countsFrom } = access;
    if (countsFrom === null || countsFrom < returned.from || countsFrom >= endsAt) continue;
    const placed = placedAt(access, endsAt);
    moved.push(placed);
    endsAt = placed.expiresAt;
  }
  return moved;
}

/** Access to the item itself, and a package's where that counts. */
const isFollowed = ({ followsPackages }: Stacked, before: Stacked) => !before.isOfPackage || followsPackages;

function latestEnd(before: readonly Stacked[], at: Date): Date {
  return before.reduce((latest, { expiresAt }) => (expiresAt > latest ? expiresAt : latest), at);
}

function placedAt(access: Stacked, countsFrom: Date): Stacked {
  const byMs = countsFrom.getTime() - (access.countsFrom ?? countsFrom).getTime();
  return { ...access, countsFrom, expiresAt: new Date(access.expiresAt.getTime() + byMs) };
}
