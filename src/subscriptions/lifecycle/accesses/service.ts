import { endAccess, endRefundedAccess, grantAccess, isRevoked } from '../../../items/access/service';
import { moveBack } from '../../../items/access/stacking/service';
import { type Moment } from '../steps/service';

/** What a subscription opens: one access, which each payment makes longer. */

/** Access outlasts a renewing period by this much, so that a slow renewal never flickers (subscriptions 3). */
const settleMarginMs = 3_600_000;

export function openAccess({ row, facts, inTransaction }: Moment, startsAt: Date, endsAt: Date) {
  return grantAccess(inTransaction, {
    merchantId: row.merchantId,
    account: { id: row.accountId, uuid: facts.accountUuid, merchantUuid: facts.merchantUuid },
    itemId: row.itemId,
    accessFeeId: row.accessFeeId,
    source: 'subscription',
    sourceId: row.id,
    ipAddress: row.ipAddress,
    startsAt,
    expiresAt: new Date(endsAt.getTime() + settleMarginMs),
  });
}

/** The period is paid: what stood open for the days of grace meanwhile ends with it as well. */
export async function openPaidAccess(moment: Moment, startsAt: Date, endsAt: Date) {
  await closeAccess(moment, new Date(endsAt.getTime() + settleMarginMs));
  return openAccess(moment, startsAt, endsAt);
}

/** The merchant has taken it away: what is paid for it then opens nothing. */
export function isTakenAway({ row, inTransaction }: Moment): Promise<boolean> {
  return isRevoked(inTransaction, { source: 'subscription', sourceId: row.id });
}

export function closeAccess({ row, inTransaction }: Moment, endsAt: Date): Promise<void> {
  return endAccess(inTransaction, { source: 'subscription', sourceId: row.id }, endsAt);
}

/** The same where its money went back: what was bought to follow on it begins now. */
export function takeAccess({ row, inTransaction }: Moment, endsAt: Date): Promise<void> {
  return endRefundedAccess(inTransaction, row, { source: 'subscription', sourceId: row.id }, endsAt);
}

/** It is given back: what has taken its place since it was taken follows on it again. */
export async function returnAccess(moment: Moment, endsAt: Date) {
  const { row, at, inTransaction } = moment;
  const access = await openAccess(moment, at, endsAt);
  await moveBack(inTransaction, row, { id: access.id, from: row.endedAt ?? at });
  return access;
}
