import { getAccountRow } from '../../../accounts/service';
import { merchantNow } from '../../../adapters/clock';
import { type Transaction } from '../../../adapters/postgres/connection';
import { publish } from '../../../notifications/publish';
import { Access } from '../model';
import { describeAccess, describeRevocation, type Given, type Owner } from '../service';
import { moveBack, moveUp } from '../stacking/service';

/** An entitlement that is taken away until further notice: a bank has taken the money back, and may yet return it. */

/** Takes away what a source gave, until it is given back; `cause` names why. */
export async function withdrawAccess(
  inTransaction: Transaction,
  of: Owner,
  given: Given,
  cause: string,
): Promise<void> {
  const revokedAt = new Date();
  const where = { ...given, revokedAt: null };
  const [withdrawn] = await Access.update({ revokedAt, isWithdrawn: true }, { where, transaction: inTransaction });
  if (withdrawn === 0) return;
  const { merchantId, accountId } = of;
  await moveUp(inTransaction, of, await merchantNow(merchantId, inTransaction));
  const resource = await describeRevocation(inTransaction, of.itemId);
  await publish(inTransaction, merchantId, [
    { type: 'access.revoked', accountId, dedupeKey: `${cause}:revoked`, resource },
  ]);
}

/**
 * Gives back what was withdrawn, for as long as it would have lasted. What the merchant has taken away stays so, and what
 * an erased account had.
 */
export async function reopenAccess(inTransaction: Transaction, of: Owner, given: Given, cause: string): Promise<void> {
  const access = await Access.findOne({ where: { ...given }, transaction: inTransaction });
  if (!access?.isWithdrawn) return;
  const { merchantId, accountId, itemId } = of;
  const account = await getAccountRow(accountId);
  if (account.erasingAt !== null) return;
  const from = access.revokedAt ?? access.startsAt;
  await access.update({ revokedAt: null, isWithdrawn: false }, { transaction: inTransaction });
  await moveBack(inTransaction, of, { id: access.id, from });
  const owner = { id: accountId, uuid: account.uuid, merchantUuid: account.merchantUuid };
  const resource = await describeAccess(inTransaction, access.get(), owner, itemId);
  await publish(inTransaction, merchantId, [
    { type: 'access.granted', accountId, dedupeKey: `${cause}:granted`, resource },
  ]);
}
