import {
  endAccess,
  endRefundedAccess,
  extendEntitlement,
  findEndOf,
  grantAccess,
  isRevoked,
  setEntitlementEnd,
  type Grant,
} from '../../entitlements/entitlements';
import { moveBack } from '../../entitlements/stacking';
import { type StepContext } from './steps';

/** A subscription has one entitlement, which every payment extends. */

/** Access continues for this time after a renewing period, so that a slow renewal does not interrupt it. */
const settleMarginMs = 3_600_000;

/** Opens access, and returns the resource of its event. */
export function openAccess(moment: StepContext, startsAt: Date, endsAt: Date) {
  return grantAccess(moment.inTransaction, grantOf(moment, startsAt, endsAt));
}

/** The same without an event. */
export function extendAccess(moment: StepContext, startsAt: Date, endsAt: Date): Promise<void> {
  return extendEntitlement(moment.inTransaction, grantOf(moment, startsAt, endsAt));
}

/** The same for a paid period. Access that was extended for the grace period is shortened to the period. */
export function extendPaidAccess(moment: StepContext, startsAt: Date, endsAt: Date): Promise<void> {
  return setEntitlementEnd(moment.inTransaction, grantOf(moment, startsAt, endsAt));
}

function grantOf({ row, facts }: StepContext, startsAt: Date, endsAt: Date): Grant {
  return {
    merchantId: row.merchantId,
    account: { id: row.accountId, uuid: facts.accountUuid, merchantUuid: facts.merchantUuid },
    itemId: row.itemId,
    accessFeeId: row.accessFeeId,
    source: 'subscription',
    sourceId: row.id,
    ipAddress: row.ipAddress,
    startsAt,
    expiresAt: new Date(endsAt.getTime() + settleMarginMs),
  };
}

/** Whether the merchant has revoked the access. A later payment does not restore it. */
export function isTakenAway({ row, inTransaction }: StepContext): Promise<boolean> {
  return isRevoked(inTransaction, { source: 'subscription', sourceId: row.id });
}

/** The end of the subscription's access. Undefined without access. */
export function accessEndOf({ row, inTransaction }: StepContext): Promise<Date | undefined> {
  return findEndOf(inTransaction, { source: 'subscription', sourceId: row.id });
}

export function closeAccess({ row, inTransaction }: StepContext, endsAt: Date): Promise<void> {
  return endAccess(inTransaction, { source: 'subscription', sourceId: row.id }, endsAt);
}

/** Closes access after a refund. An entitlement that was bought to follow it begins now. */
export function takeAccess({ row, inTransaction }: StepContext, endsAt: Date): Promise<void> {
  return endRefundedAccess(inTransaction, row, { source: 'subscription', sourceId: row.id }, endsAt);
}

/** Restores access. An entitlement that began in the meantime follows it again. */
export async function returnAccess(moment: StepContext, endsAt: Date) {
  const { row, at, inTransaction } = moment;
  const access = await openAccess(moment, at, endsAt);
  await moveBack(inTransaction, row, { id: access.id, from: row.endedAt ?? at });
  return access;
}
