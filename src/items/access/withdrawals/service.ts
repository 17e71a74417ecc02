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
  const { merchantId, accountId } = of;
  const revokedAt = await merchantNow(merchantId, inTransaction);
  const where = { ...given, revokedAt: null };
  const [withdrawn] = await Access.update({ revokedAt, isWithdrawn: true }, { where, transaction: inTransaction });
  if (withdrawn === 0) return;
  await moveUp(inTransaction, of, revokedAt);
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
  const from = access.revokedAt ?? access.startsAt;
  await giveBack(inTransaction, of, { access, from, changes: { revokedAt: null, isWithdrawn: false } }, cause);
}

/** The money that ended it did not go back after all: it lasts until `endOf` the instant from which its time counts. */
export async function prolongAccess(
  inTransaction: Transaction,
  of: Owner,
  given: Given & { endOf: (countsFrom: Date) => Date },
  cause: string,
): Promise<void> {
  const { source, sourceId, endOf } = given;
  const access = await Access.findOne({ where: { source, sourceId, revokedAt: null }, transaction: inTransaction });
  if (!access) return;
  const expiresAt = endOf(access.countsFrom ?? access.startsAt);
  const isOver = expiresAt <= (await merchantNow(of.merchantId, inTransaction));
  if (isOver || expiresAt <= access.expiresAt) return;
  await giveBack(inTransaction, of, { access, from: access.expiresAt, changes: { expiresAt } }, cause);
}

/** `from`: since when it was away. */
async function giveBack(
  inTransaction: Transaction,
  { merchantId, accountId, itemId }: Owner,
  { access, from, changes }: { access: Access; from: Date; changes: Partial<Access> },
  cause: string,
): Promise<void> {
  const account = await getAccountRow(accountId);
  if (account.erasingAt !== null) return;
  await access.update(changes, { transaction: inTransaction });
  await moveBack(inTransaction, { accountId, itemId }, { id: access.id, from });
  const owner = { id: accountId, uuid: account.uuid, merchantUuid: account.merchantUuid };
  const resource = await describeAccess(inTransaction, access.get(), owner, itemId);
  await publish(inTransaction, merchantId, [
    { type: 'access.granted', accountId, dedupeKey: `${cause}:granted`, resource },
  ]);
}
