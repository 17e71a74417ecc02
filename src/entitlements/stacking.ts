import { type Transaction } from '../adapters/postgres/connection';
import { endOfTime } from '../billing/periods';
import { listFollowing, lockStack, moveAccess, type Stacked } from './stacking.model';

/**
 * Access that was bought to follow other access moves with it: to an earlier time if that access ends early, and back
 * if that access is restored.
 */

interface Owner {
  accountId: number;
  itemId: number;
}

/** Moves the following access to an earlier time, after an entitlement has ended early. */
export function moveUp(inTransaction: Transaction, owner: Owner, at: Date): Promise<void> {
  return moveEach(inTransaction, owner, (stack) => movedUp(stack, at));
}

/** Moves the following access back, after an entitlement was restored. */
export function moveBack(
  inTransaction: Transaction,
  owner: Owner,
  returned: { id: number; from: Date },
): Promise<void> {
  return moveEach(inTransaction, owner, (stack) => movedBack(stack, returned));
}

/** Moves access that follows the item and, for a package, access that follows its items. */
async function moveEach(
  inTransaction: Transaction,
  { accountId, itemId }: Owner,
  moved: (stack: Stacked[]) => Stacked[],
): Promise<void> {
  for (const id of [itemId, ...(await listFollowing(inTransaction, accountId, itemId))])
    for (const access of moved(await lockStack(inTransaction, accountId, id))) await moveAccess(inTransaction, access);
}

/**
 * The entitlements that move, in the order of purchase. An entitlement that has begun or follows none does not move.
 */
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

/** `from` is the time of the revocation. Entitlements that were bought before, or begin after its end, do not move. */
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

/** Access to the item itself counts, and access of a package only if the fee's rule includes it. */
const isFollowed = ({ followsPackages }: Stacked, before: Stacked) => !before.isOfPackage || followsPackages;

function latestEnd(before: readonly Stacked[], at: Date): Date {
  return before.reduce((latest, { expiresAt }) => (expiresAt > latest ? expiresAt : latest), at);
}

/** Access for life keeps its end. No end is later than clients can read. */
function placedAt(access: Stacked, countsFrom: Date): Stacked {
  const byMs = countsFrom.getTime() - (access.countsFrom ?? countsFrom).getTime();
  const movedMs = access.expiresAt.getTime() + byMs;
  const isLast = access.expiresAt >= endOfTime || movedMs > endOfTime.getTime();
  return { ...access, countsFrom, expiresAt: isLast ? endOfTime : new Date(movedMs) };
}
