import { type z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { sendNow } from '../adapters/outbox';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { publish } from '../notifications/publish';
import { endOfTime, periodEnd } from '../billing/periods';
import { endRevoked, lockLive } from '../subscriptions/changes/changes';
import { listAccessFees } from '../items/accessFees/accessFees';
import { getItemRow, type ItemRow } from '../items/items';
import { moveEnd } from '../entitlements/extensions';
import { findAccessEnd, findLastEnd } from '../entitlements/running';
import {
  checkAccess,
  describeAccess,
  describeRevocation,
  findAllowedEntitlement,
  giveFreely,
  type Grant,
  grantAccess,
  markRevoked,
  publishGrant,
  requireAccess,
} from '../entitlements/entitlements';
import { moveUp } from '../entitlements/stacking';
import { type FeeTerms, findFeeTerms, lockReceiver, takeSourceId } from './grants.model';
import { type ExtendBody, type GrantBody } from './grants.schemas';

type GrantInput = z.output<typeof GrantBody>;

/** Access that a merchant gives by hand, for example as a present or for a payment outside the paywall. */
export async function createGrant(caller: Caller, input: GrantInput, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const { item_id: itemId, access_fee_id: feeId } = input;
  if (feeId === undefined && input.expires_at === undefined)
    throw new AppError('missing_parameter', { errors: { access_fee_id: 'The access_fee_id must not be empty.' } });
  await getItemRow(merchantId, itemId);
  const terms = feeId === undefined ? undefined : await getTerms(merchantId, itemId, feeId);
  return transaction(async (inTransaction) => {
    const account = await lockReceiver(inTransaction, merchantId, input.consumer_id);
    if (!account) throw new AppError('account_does_not_exist');
    const startsAt = await merchantNow(merchantId, inTransaction);
    const countsFrom = await followedEnd(inTransaction, account.id, itemId, terms);
    const granted = await giveByHand(inTransaction, {
      merchantId,
      account,
      itemId,
      accessFeeId: terms?.id ?? null,
      startsAt,
      expiresAt: endOfGrant(input, terms, { startsAt, countsFrom }),
      ...(input.expires_at === undefined && countsFrom && { countsFrom }),
    });
    await audit(inTransaction, caller, { action: 'access.grant', object: ['access', granted.id], requestId });
    await publishGrant(inTransaction, merchantId, granted);
    return granted;
  });
}

/** The access of a grant, without its entry in the log and its event. The receiver is locked. */
export async function giveByHand(inTransaction: Transaction, grant: Omit<Grant, 'source' | 'sourceId' | 'ipAddress'>) {
  const sourceId = await takeSourceId(inTransaction);
  return grantAccess(inTransaction, { ...grant, source: 'grant', sourceId, ipAddress: '' });
}

/**
 * Revokes access, and ends the subscription that gave it, so that the customer is not charged for revoked access.
 * A repeated call changes nothing and publishes no event.
 */
export async function revokeAccess(caller: Caller, accessId: number, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const { source, sourceId } = await requireAccess(merchantId, accessId);
  const ending = await transaction(async (inTransaction) => {
    const paying = source === 'subscription' ? await lockLive(inTransaction, merchantId, sourceId) : null;
    const revoked = await markRevoked(inTransaction, merchantId, accessId);
    if (!revoked) return undefined;
    const { account_id: accountId, item_id: itemId } = revoked;
    const resource = await describeRevocation(inTransaction, itemId);
    await audit(inTransaction, caller, { action: 'access.revoke', object: ['access', accessId], requestId });
    await moveUp(inTransaction, { accountId, itemId }, revoked.revoked_at);
    const dedupeKey = `access:${accessId}:revoked`;
    await publish(inTransaction, merchantId, [{ type: 'access.revoked', accountId, dedupeKey, resource }]);
    return paying ? endRevoked(inTransaction, caller, paying, requestId) : undefined;
  });
  if (ending) await sendNow(ending);
  return message('Access successfully revoked');
}

/**
 * Moves the end of access that was bought once, given or granted. The end of other access is that of its subscription or
 * of its purchase in an app store.
 */
export async function extendAccess(
  caller: Caller,
  accessId: number,
  { days }: z.output<typeof ExtendBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const owned = await requireAccess(merchantId, accessId);
  const { accountId } = owned;
  return transaction(async (inTransaction) => {
    const account = await lockReceiver(inTransaction, merchantId, accountId);
    if (!account) throw new AppError('account_does_not_exist');
    const access = await moveEnd(inTransaction, owned, days);
    const extended = await describeAccess(inTransaction, access, account, access.itemId);
    await audit(inTransaction, caller, { action: 'access.extend', object: ['access', accessId], requestId });
    const dedupeKey = `access:${accessId}:extended:${requestId}`;
    await publish(inTransaction, merchantId, [{ type: 'access.granted', accountId, dedupeKey, resource: extended }]);
    return extended;
  });
}

/** Grants an item that is free for registered users: it has a freemium fee on sale, or is free after sign-in. */
export async function takeFreemium(caller: Caller, itemId: number, request: RequestFacts) {
  const { merchantId, accountId, accountUuid: uuid, merchantUuid, clientAddress: ipAddress } = caller;
  const item = await getItemRow(merchantId, itemId);
  if (!(await findAllowedEntitlement(caller, itemId, request))) {
    const accessFeeId = await findFreeOffer(caller, item);
    const account = { id: accountId, uuid, merchantUuid };
    await transaction((inTransaction) =>
      giveFreely(inTransaction, { merchantId, account, itemId, accessFeeId, ipAddress }),
    );
  }
  return checkAccess(caller, itemId, request);
}

/** The freemium fee of the item; null if the item is free without a fee. */
async function findFreeOffer(caller: Caller, item: ItemRow): Promise<number | null> {
  if (item.accessControlType === 'Auth' && item.isActive) return null;
  const fees = item.isActive ? await listAccessFees(item.id, caller) : [];
  const free = fees.find((fee) => fee.access_type.name === 'freemium');
  if (!free) throw new AppError('access_fee_not_found');
  return free.id;
}

async function getTerms(merchantId: number, itemId: number, feeId: number): Promise<FeeTerms> {
  const terms = await findFeeTerms(merchantId, itemId, feeId);
  if (!terms) throw new AppError('access_fee_not_found');
  return terms;
}

interface GrantTime {
  startsAt: Date;
  /** The end of the access that the grant follows, if its fee adds to that access. */
  countsFrom: Date | undefined;
}

/** The end of the access that a grant by this fee follows; undefined if the grant begins at once. */
async function followedEnd(
  inTransaction: Transaction,
  accountId: number,
  itemId: number,
  terms: FeeTerms | undefined,
): Promise<Date | undefined> {
  if (terms?.accessType !== 'ppv' || terms.whenOwned === 'start_now') return undefined;
  const findEnd = terms.whenOwned === 'extend_current' ? findLastEnd : findAccessEnd;
  return findEnd(accountId, itemId, inTransaction);
}

/** The requested end, or the end of the fee's period. */
function endOfGrant(input: GrantInput, terms: FeeTerms | undefined, time: GrantTime): Date {
  if (input.expires_at !== undefined) return futureEnd('expires_at', input.expires_at, time.startsAt);
  if (!terms || terms.accessType === 'freemium') return endOfTime;
  if (terms.accessType === 'ppv_custom')
    return futureEnd('access_fee_id', terms.expiresAt ?? time.startsAt, time.startsAt);
  const end = periodEnd(time.countsFrom ?? time.startsAt, 1, terms);
  return futureEnd('access_fee_id', end, time.startsAt);
}

export const isPossibleEnd = (end: Date, present: Date) => end > present && end <= endOfTime;

function futureEnd(field: string, end: Date, present: Date): Date {
  if (isPossibleEnd(end, present)) return end;
  const bounds = `${present.toISOString()} and ${endOfTime.toISOString()}`;
  throw new AppError('invalid_input', { errors: { [field]: `The ${field} must be between ${bounds}.` } });
}
