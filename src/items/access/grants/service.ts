import { type z } from 'zod';
import { merchantNow } from '../../../adapters/clock';
import { getOwned, transaction, type Transaction } from '../../../adapters/postgres/connection';
import { sendNow } from '../../../adapters/outbox';
import { actorOf, writeAudit } from '../../../audit/service';
import { type Caller } from '../../../kit/auth';
import { type RequestFacts } from '../../../kit/endpoint';
import { AppError } from '../../../kit/errors';
import { message } from '../../../kit/page';
import { publish } from '../../../notifications/publish';
import { periodEnd } from '../../../subscriptions/billing/periods';
import { endRevoked } from '../../../subscriptions/changes/service';
import { listAccessFees } from '../../accessFees/service';
import { type ItemRow } from '../../model';
import { getItemRow } from '../../service';
import { Access } from '../model';
import { findAccessEnd, findLastEnd } from '../running/service';
import {
  checkAccess,
  describeRevocation,
  endOfTime,
  findAllowedEntitlement,
  giveFreely,
  grantAccess,
  publishGrant,
} from '../service';
import { moveUp } from '../stacking/service';
import { type FeeTerms, findFeeTerms, lockReceiver, markRevoked, takeSourceId } from './model';
import { type GrantBody } from './schemas';

type GrantInput = z.output<typeof GrantBody>;

/** What a merchant gives by hand: paid in another way, or a present. */
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
    const granted = await grantAccess(inTransaction, {
      merchantId,
      account,
      itemId,
      accessFeeId: terms?.id ?? null,
      source: 'grant',
      sourceId: await takeSourceId(inTransaction),
      ipAddress: '',
      startsAt,
      expiresAt: endOfGrant(input, terms, { startsAt, countsFrom }),
      ...(input.expires_at === undefined && countsFrom && { countsFrom }),
    });
    await writeDeed(inTransaction, caller, { action: 'access.grant', objectId: granted.id, requestId });
    await publishGrant(inTransaction, merchantId, granted);
    return granted;
  });
}

/**
 * From the commit on no check says yes by it, and a subscription that gave it ends: nobody is charged for what was taken
 * away. Again does no harm, and is told nobody.
 */
export async function revokeAccess(caller: Caller, accessId: number, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  await getOwned(Access, merchantId, accessId, 'access_record_not_found');
  const ending = await transaction(async (inTransaction) => {
    const revoked = await markRevoked(inTransaction, merchantId, accessId);
    if (!revoked) return undefined;
    const { account_id: accountId, item_id: itemId, source, source_id: sourceId } = revoked;
    const resource = await describeRevocation(inTransaction, itemId);
    await writeDeed(inTransaction, caller, { action: 'access.revoke', objectId: accessId, requestId });
    await moveUp(inTransaction, { accountId, itemId }, revoked.revoked_at);
    const dedupeKey = `access:${accessId}:revoked`;
    await publish(inTransaction, merchantId, [{ type: 'access.revoked', accountId, dedupeKey, resource }]);
    return source === 'subscription' ? endRevoked(inTransaction, caller, sourceId, requestId) : undefined;
  });
  if (ending) await sendNow(ending);
  return message('Access successfully revoked');
}

/** Opens what is free for registered users: an item with a freemium fee on sale, or one that is free after sign-in. */
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

/** The fee by which the item is free; null: it is free without one. */
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
  /** When what it follows on ends: a pay-per-view adds to it (decisions 5). */
  countsFrom: Date | undefined;
}

/** The end of the access that time by a fee follows on, by the fee's own rule; undefined: it begins at once. */
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

/** A named date counts; else the fee's time. */
function endOfGrant(input: GrantInput, terms: FeeTerms | undefined, time: GrantTime): Date {
  if (input.expires_at !== undefined) return futureEnd('expires_at', input.expires_at, time.startsAt);
  if (!terms || terms.accessType === 'freemium') return endOfTime;
  if (terms.accessType === 'ppv_custom')
    return futureEnd('access_fee_id', terms.expiresAt ?? time.startsAt, time.startsAt);
  const end = periodEnd(time.countsFrom ?? time.startsAt, 1, terms);
  return end < endOfTime ? end : endOfTime;
}

function futureEnd(field: string, end: Date, present: Date): Date {
  if (end > present && end <= endOfTime) return end;
  const bounds = `${present.toISOString()} and ${endOfTime.toISOString()}`;
  throw new AppError('invalid_input', { errors: { [field]: `The ${field} must be between ${bounds}.` } });
}

async function writeDeed(
  inTransaction: Transaction,
  caller: Caller,
  deed: { action: 'access.grant' | 'access.revoke'; objectId: number; requestId: string },
): Promise<void> {
  await writeAudit(inTransaction, { ...actorOf(caller), ...deed, objectType: 'access' });
}
