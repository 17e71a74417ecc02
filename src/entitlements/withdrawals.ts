import { getAccountRow } from '../accounts/accounts';
import { merchantNow } from '../adapters/clock';
import { type Transaction } from '../adapters/postgres/connection';
import { publish } from '../notifications/publish';
import { Access } from './entitlements.model';
import { describeAccess, describeRevocation, type AccessOrigin, type Owner } from './entitlements';
import { moveBack, moveUp } from './stacking';

/** Withdraws entitlements during a dispute of their payment, and restores them if the merchant wins the dispute. */

/** Withdraws the access of a source. `cause` is the key of the event. */
export async function withdrawAccess(
  inTransaction: Transaction,
  of: Owner,
  given: AccessOrigin,
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
 * Restores withdrawn access until its original end. Access that the merchant has revoked, and access of an erased
 * account, is not restored.
 */
export async function reopenAccess(
  inTransaction: Transaction,
  of: Owner,
  given: AccessOrigin,
  cause: string,
): Promise<void> {
  const access = await Access.findOne({ where: { ...given }, transaction: inTransaction });
  if (!access?.isWithdrawn) return;
  const from = access.revokedAt ?? access.startsAt;
  await giveBack(inTransaction, of, { access, from, changes: { revokedAt: null, isWithdrawn: false } }, cause);
}

/** Restores access whose refund has failed. `endOf` computes its end from its start. */
export async function prolongAccess(
  inTransaction: Transaction,
  of: Owner,
  given: AccessOrigin & { endOf: (countsFrom: Date) => Date },
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

/** `from` is the time of the revocation. */
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
