import { Op } from 'sequelize';
import { hasLeftAddress } from './dataCaptures';
import { countryOf } from '../adapters/geoip';
import { environmentName } from '../adapters/settings';
import { getOwned, transaction, type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { Answer, type PageHosts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { type NewEvent } from '../notifications/events';
import { publish } from '../notifications/publish';
import { getRestrictions, judgeVisitor, restricted } from '../restrictions/restrictions';
import { endOfTime } from '../billing/periods';
import { describeItemWithContent, getItemById } from '../items/items';
import { getCheckedItem, type ItemWithContent } from './checkedItems';
import {
  Access,
  type AccessSource,
  type CheckedAccount,
  type CheckKey,
  checkReader,
  type Entitlement,
  findFreeAccess,
  insertAccess,
  insertAccessUntil,
  insertFreeAccess,
  listPackageIds,
  type StoredAccess,
} from './entitlements.model';
import { type AccessFacts, presentAccess, presentFacts } from './entitlements.presenter';
import { moveUp } from './stacking';

export { type AccessSource, markRevoked } from './entitlements.model';

/** An entitlement to grant. `source` and `sourceId` identify it, so a repeated grant writes one row. */
export interface Grant {
  merchantId: number;
  account: { id: number; uuid: string; merchantUuid: string };
  itemId: number;
  accessFeeId: number | null;
  source: AccessSource;
  sourceId: number;
  ipAddress: string;
  startsAt: Date;
  expiresAt: Date;
  /** The environment of the app store. A sandbox purchase costs nothing. */
  storeEnvironment?: 'production' | 'sandbox';
  /** The start of its time, if it follows other access. */
  countsFrom?: Date;
}

const readCheckedAccount = checkReader(environmentName);

/**
 * The access check of every playback: the content, or 402. The item and its rules are cached. The entitlement and the
 * session's pin are always read from the database, in one statement for all checks that arrive together.
 */
export async function checkAccess(caller: Caller, itemId: number, request: PageHosts) {
  const { item, entitlement } = await getOpenItem(caller, itemId, request);
  return presentAccess(factsOf(caller, entitlement), item);
}

/**
 * The same check as a response whose JSON reuses the cached JSON of the item. Its ETag changes with the entitlement and
 * with the item.
 */
export async function answerCheck(caller: Caller, itemId: number, request: PageHosts) {
  const { checked, entitlement } = await getOpen(caller, itemId, request);
  const facts = presentFacts(factsOf(caller, entitlement));
  const { item, text, bytes, tag } = checked;
  const body = { ...facts, item };
  const begin = `${JSON.stringify(facts).slice(0, -1)},"item":`;
  return new Answer(body, {
    json: { text: `${begin}${text}}`, bytes: Buffer.byteLength(begin) + bytes + 1 },
    headers: { ETag: `W/"${facts.id}-${facts.expires_at}${facts.grace === true ? '-grace' : ''}-${tag}"` },
  });
}

function factsOf({ accountId, accountUuid, clientAddress: ipAddress }: Caller, entitlement: Entitlement): AccessFacts {
  return { ...entitlement, accountId, accountUuid, ipAddress, countryCode: countryOf(ipAddress) };
}

/** The item and the entitlement that opens it. Throws the errors of the access check. */
export async function getOpenItem(caller: Caller, itemId: number, request: PageHosts) {
  const { checked, entitlement } = await getOpen(caller, itemId, request);
  return { item: checked.item, entitlement };
}

async function getOpen(caller: Caller, itemId: number, request: PageHosts) {
  const { checked, entitlement: found, lacksPin } = await readCheck(caller, itemId, request);
  const { item } = checked;
  if (!found && !(await isFreeTo(caller.accountId, item))) throw new AppError('access_not_found');
  if (lacksPin) throw restricted('pin', itemId);
  const entitlement = found ?? (caller.actorUuid === undefined ? await takeFreeItem(caller, item) : undefined);
  if (!entitlement) throw new AppError('access_not_found');
  return { checked, entitlement };
}

/** The entitlement that opens the item, if there is one. Throws if a restriction refuses the caller. */
export async function findAllowedEntitlement(caller: Caller, itemId: number, request: PageHosts) {
  const { entitlement, lacksPin } = await readCheck(caller, itemId, request);
  if (lacksPin) throw restricted('pin', itemId);
  return entitlement;
}

/**
 * The first steps of the check: the item must exist, and its domains, countries and minimum age must allow the caller.
 */
async function readCheck(caller: Caller, itemId: number, { host, refererHost }: PageHosts) {
  const { accountId, merchantId, sessionId, dateOfBirth, clientAddress: address } = caller;
  const checked = await getCheckedItem(merchantId, itemId);
  const restrictions = await getRestrictions(merchantId, itemId);
  const { asksPin } = restrictions;
  const pinOfSession = asksPin ? sessionId : undefined;
  const { present, entitlement, hasPin } = await readAccount({ merchantId, accountId, itemId, pinOfSession });
  const visitor = { merchantId, dateOfBirth, host, refererHost, address, present };
  const { refusedBy } = judgeVisitor(restrictions, visitor);
  if (refusedBy !== undefined) throw restricted(refusedBy, itemId);
  return { checked, entitlement, lacksPin: asksPin && !hasPin };
}

async function readAccount(key: CheckKey): Promise<CheckedAccount> {
  const account = await readCheckedAccount(key);
  if (!account) throw new Error('a check was not answered');
  return account;
}

/** Grants an entitlement, and returns the resource of `access.granted`. */
export async function grantAccess(inTransaction: Transaction, grant: Grant) {
  const access = await insertAccess(inTransaction, valuesOf(grant));
  return describeAccess(inTransaction, { ...access, ipAddress: grant.ipAddress }, grant.account, grant.itemId);
}

/** Grants or extends an entitlement without an event, so that nothing is read for its resource. */
export async function extendEntitlement(inTransaction: Transaction, grant: Grant): Promise<void> {
  await insertAccess(inTransaction, valuesOf(grant));
}

/** The same, but the entitlement ends with this grant, even if it had a later end before. */
export async function setEntitlementEnd(inTransaction: Transaction, grant: Grant): Promise<void> {
  await insertAccessUntil(inTransaction, valuesOf(grant));
}

const valuesOf = (grant: Grant) => [
  grant.merchantId,
  grant.account.id,
  grant.itemId,
  grant.accessFeeId,
  grant.source,
  grant.sourceId,
  environmentName,
  grant.ipAddress,
  grant.startsAt,
  grant.expiresAt,
  grant.storeEnvironment ?? null,
  grant.countsFrom ?? null,
];

/** Ends the access of a source at a time, unless it has already ended. */
export async function endAccess(inTransaction: Transaction, given: AccessOrigin, endsAt: Date): Promise<void> {
  const where = { ...given, expiresAt: { [Op.gt]: endsAt } };
  await Access.update({ expiresAt: endsAt }, { where, transaction: inTransaction });
}

/** Ends access after a refund. Access that was bought to follow it begins now. */
export async function endRefundedAccess(
  inTransaction: Transaction,
  of: Owner,
  given: AccessOrigin,
  endsAt: Date,
): Promise<void> {
  await endAccess(inTransaction, given, endsAt);
  await moveUp(inTransaction, of, endsAt);
}

/** Throws `access_record_not_found` if the access is not the merchant's. */
export function requireAccess(merchantId: number, accessId: number): Promise<Access> {
  return getOwned(Access, merchantId, accessId, 'access_record_not_found');
}

/** The source of an entitlement, and its id. */
export interface AccessOrigin {
  source: AccessSource;
  sourceId: number;
}

/** The account and the item of an entitlement. */
export interface Owner {
  merchantId: number;
  accountId: number;
  itemId: number;
}

/**
 * Whether the access of a source was revoked. An extension of revoked access gives no access and publishes no event.
 */
export async function isRevoked(inTransaction: Transaction, given: AccessOrigin): Promise<boolean> {
  const access = await Access.findOne({ where: { ...given }, transaction: inTransaction });
  return access !== null && access.revokedAt !== null;
}

/** The end of the access of a source. Undefined if the source gave none. */
export async function findEndOf(inTransaction: Transaction, given: AccessOrigin): Promise<Date | undefined> {
  return (await Access.findOne({ where: { ...given }, transaction: inTransaction }))?.expiresAt;
}

/** The resource of `access.revoked`. */
export async function describeRevocation(inTransaction: Transaction, itemId: number) {
  return { item_id: itemId, package_collection: await listPackageIds(itemId, inTransaction) };
}

/** A grant without a payment. */
export type FreeGrant = Pick<Grant, 'merchantId' | 'account' | 'itemId' | 'accessFeeId' | 'ipAddress'>;

/**
 * Grants an item for life, once for an account, and publishes the event. Call it as the last step of a transaction.
 * Idempotent. Undefined if the merchant has revoked the access, or if the item is not free any more.
 */
export async function giveFreely(inTransaction: Transaction, grant: FreeGrant) {
  const { merchantId, account, itemId, accessFeeId, ipAddress } = grant;
  const values = [merchantId, account.id, itemId, accessFeeId, environmentName, ipAddress, endOfTime];
  const given = await insertFreeAccess(inTransaction, values);
  const access = given ?? (await findFreeAccess(inTransaction, account.id, itemId));
  if (!access) return undefined;
  const described = await describeAccess(inTransaction, { ...access, ipAddress }, account, itemId);
  if (given) await publishGrant(inTransaction, merchantId, described);
  return described;
}

/** Publishes a grant that has no payment event. */
export async function publishGrant(
  inTransaction: Transaction,
  merchantId: number,
  access: Awaited<ReturnType<typeof grantAccess>>,
): Promise<void> {
  await publish(inTransaction, merchantId, [grantEvent(access)]);
}

export function grantEvent(access: Awaited<ReturnType<typeof grantAccess>>): NewEvent {
  const { id, account_id: accountId } = access;
  return { type: 'access.granted', accountId, dedupeKey: `access:${id}:granted`, resource: access };
}

/** The resource of `access.granted`. */
export async function describeAccess(
  inTransaction: Transaction,
  access: StoredAccess & { ipAddress: string },
  account: Grant['account'],
  itemId: number,
) {
  const item = await getItemById(itemId, inTransaction);
  const presented = presentAccess(
    { ...access, accountId: account.id, accountUuid: account.uuid, countryCode: countryOf(access.ipAddress) },
    describeItemWithContent({ item, merchantUuid: account.merchantUuid }),
  );
  return { ...presented, package_collection: await listPackageIds(itemId, inTransaction) };
}

/** `Auth` items are free after sign-in, `DataCapture` items after the visitor has left an address. */
export async function isFreeTo(accountId: number, item: ItemWithContent): Promise<boolean> {
  const { name } = item.access_control_type;
  if (!item.is_active) return false;
  return name === 'Auth' || (name === 'DataCapture' && (await hasLeftAddress(accountId)));
}

/** The first check grants a free item, so that the access can be listed and revoked. */
async function takeFreeItem(caller: Caller, { id: itemId }: ItemWithContent): Promise<Entitlement | undefined> {
  const { merchantId, accountId: id, accountUuid: uuid, merchantUuid, clientAddress: ipAddress } = caller;
  const grant = { merchantId, account: { id, uuid, merchantUuid }, itemId, accessFeeId: null, ipAddress };
  await transaction((inTransaction) => giveFreely(inTransaction, grant));
  const key = { merchantId, accountId: id, itemId, pinOfSession: undefined };
  return (await readAccount(key)).entitlement;
}
