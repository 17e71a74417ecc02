import { endMoving, getState, resume, setMoving, suspend } from '../accounts/merchants/states';
import { deleteTokens } from '../accounts/signIn/mailedTokens';
import { endSessions } from '../accounts/tokens/tokens';
import { transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { MoveRefusal } from './archive';
import { findMerchant, type MovingMerchant } from './moves.model';

/** A merchant stops before it moves to another installation. Until it is marked as moved, it can stay after all. */

const stopReason = 'Your shop moves to another installation and will open there soon.';

export async function getMerchant(idOrUuid: string): Promise<MovingMerchant> {
  const found = await findMerchant(idOrUuid);
  if (!found) throw new MoveRefusal(`No merchant has the id or uuid ${idOrUuid}.`);
  if (found.isFollower) throw new MoveRefusal('The merchant belongs to another merchant, and moves only with it.');
  return found;
}

/**
 * Suspends the merchant and its followers, ends the links in their mails, and holds their mails, webhooks, runs and comparisons
 * with providers. What has begun comes to its end. False if it was stopped before.
 */
export async function stopMerchant(idOrUuid: string): Promise<boolean> {
  const { id, group, movedAt, movingSince, isSuspended } = await getMerchant(idOrUuid);
  if (movedAt) throw new MoveRefusal('The merchant was moved to another installation.');
  if (movingSince) return false;
  if (isSuspended) throw new MoveRefusal('The merchant is suspended. Resume it first, and move it then.');
  await transaction(async (inTransaction) => {
    await suspend(inTransaction, id, stopReason);
    await setMoving(inTransaction, group);
    await audit(
      inTransaction,
      { merchantId: id, accountId: id },
      { action: 'merchant.stop', object: ['merchant', id] },
    );
    await deleteTokens(inTransaction, group);
    for (const accountId of group) await endSessions(inTransaction, { accountId });
  });
  return true;
}

/** The merchant stays: it opens again, and the sweep starts its runs from their rows. */
export async function keepMerchant(idOrUuid: string): Promise<void> {
  const { id, group, movedAt, movingSince, isArriving } = await getMerchant(idOrUuid);
  if (movedAt) throw new MoveRefusal('The merchant was moved to another installation, and lives only there.');
  if (isArriving) throw new MoveRefusal('The merchant has come from another installation: npm run merchant:start');
  if (!movingSince || (await getState(id)).state !== 'suspended') throw new MoveRefusal('The merchant is not stopped.');
  await transaction(async (inTransaction) => {
    await endMoving(inTransaction, group);
    await resume(inTransaction, id);
    await audit(
      inTransaction,
      { merchantId: id, accountId: id },
      { action: 'merchant.keep', object: ['merchant', id] },
    );
  });
}
