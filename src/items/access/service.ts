import { Op } from 'sequelize';
import { hasLeftAddress } from '../../accounts/dataCaptures/service';
import { countryOf } from '../../adapters/geoip';
import { environmentName } from '../../adapters/settings';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { Answer, type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { publish } from '../../notifications/publish';
import { getRestrictions, judgeVisitor, restricted } from '../../restrictions/service';
import { describeItemWithContent, getItemById } from '../service';
import { getCheckedItem, type ItemWithContent } from './checkedItems/service';
import {
  Access,
  type AccessSource,
  type CheckedAccount,
  type CheckKey,
  checkReader,
  type Entitlement,
  findFreeAccess,
  insertAccess,
  insertFreeAccess,
  listPackageIds,
  type StoredAccess,
} from './model';
import { type AccessFacts, presentAccess, presentFacts } from './presenter';
import { moveUp } from './stacking/service';

export { type AccessSource } from './model';

/** Which entitlement to give: `source` and `sourceId` say what for, so that giving it twice gives it once. */
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
  /** Where an app store sold it: its sandbox sells for play money. */
  storeEnvironment?: 'production' | 'sandbox';
  /** Where it follows on other access: from when its time counts. */
  countsFrom?: Date;
}

/** Of access without an end: the last second that old clients, which decode 32 bits, can read. */
export const endOfTime = new Date(0x7fffffff * 1000);

const readCheckedAccount = checkReader(environmentName);

/**
 * The access check that every playback makes: the content, or 402. Item and rules come from memory, the entitlement and
 * the session's pin always from the database, in one statement shared by the checks that arrive together.
 */
export async function checkAccess(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const { item, entitlement } = await getOpenItem(caller, itemId, request);
  return presentAccess(factsOf(caller, entitlement), item);
}

/**
 * The same as an answer whose JSON is put together from the item's, which is made once. Its ETag changes with the
 * entitlement and with the item (subscriptions 3.11).
 */
export async function answerCheck(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
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

/** An item that the caller may see now, and what opens it. Throws what the access check answers otherwise. */
export async function getOpenItem(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const { checked, entitlement } = await getOpen(caller, itemId, request);
  return { item: checked.item, entitlement };
}

async function getOpen(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const { checked, entitlement: found, lacksPin } = await readCheck(caller, itemId, request);
  const { item } = checked;
  if (!found && !(await isFreeTo(caller.accountId, item))) throw new AppError('access_not_found');
  if (lacksPin) throw restricted('pin', itemId);
  const entitlement = found ?? (await takeFreeItem(caller, item));
  if (!entitlement) throw new AppError('access_not_found');
  return { checked, entitlement };
}

/** What opens an item to the caller, if anything does. Throws what the check answers where something else forbids it. */
export async function findAllowedEntitlement(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const { entitlement, lacksPin } = await readCheck(caller, itemId, request);
  if (lacksPin) throw restricted('pin', itemId);
  return entitlement;
}

/** The first steps of the check: the item exists, and no domain, country or age forbids it. */
async function readCheck(caller: Caller, itemId: number, { host }: Pick<RequestFacts, 'host'>) {
  const { accountId, merchantId, sessionId, dateOfBirth, clientAddress: address } = caller;
  const checked = await getCheckedItem(merchantId, itemId);
  const restrictions = await getRestrictions(merchantId, itemId);
  const { asksPin } = restrictions;
  const pinOfSession = asksPin ? sessionId : undefined;
  const { present, entitlement, hasPin } = await readAccount({ merchantId, accountId, itemId, pinOfSession });
  const visitor = { merchantId, dateOfBirth, host, address, present };
  const { refusedBy } = judgeVisitor(restrictions, visitor);
  if (refusedBy !== undefined) throw restricted(refusedBy, itemId);
  return { checked, entitlement, lacksPin: asksPin && !hasPin };
}

async function readAccount(key: CheckKey): Promise<CheckedAccount> {
  const account = await readCheckedAccount(key);
  if (!account) throw new Error('a check was not answered');
  return account;
}

/** Gives an entitlement, and answers what `access.granted` tells of it. */
export async function grantAccess(inTransaction: Transaction, grant: Grant) {
  const { account, itemId, ipAddress } = grant;
  const access = await insertAccess(inTransaction, [
    grant.merchantId,
    account.id,
    itemId,
    grant.accessFeeId,
    grant.source,
    grant.sourceId,
    environmentName,
    ipAddress,
    grant.startsAt,
    grant.expiresAt,
    grant.storeEnvironment ?? null,
    grant.countsFrom ?? null,
  ]);
  return describeAccess(inTransaction, { ...access, ipAddress }, account, itemId);
}

/** Ends what a source gave, at an instant; what had ended before that ended then. */
export async function endAccess(inTransaction: Transaction, given: Given, endsAt: Date): Promise<void> {
  const where = { ...given, expiresAt: { [Op.gt]: endsAt } };
  await Access.update({ expiresAt: endsAt }, { where, transaction: inTransaction });
}

/** The money went back: it ends here, and what was bought to follow on it begins now. */
export async function endRefundedAccess(
  inTransaction: Transaction,
  of: Owner,
  given: Given,
  endsAt: Date,
): Promise<void> {
  await endAccess(inTransaction, given, endsAt);
  await moveUp(inTransaction, of, endsAt);
}

/** What gave an entitlement, and which one of it. */
export interface Given {
  source: AccessSource;
  sourceId: number;
}

/** Whose entitlement to what. */
export interface Owner {
  merchantId: number;
  accountId: number;
  itemId: number;
}

/** Whether what a source gave was taken away: to extend it opens nothing, and is told nobody. */
export async function isRevoked(inTransaction: Transaction, given: Given): Promise<boolean> {
  const access = await Access.findOne({ where: { ...given }, transaction: inTransaction });
  return access !== null && access.revokedAt !== null;
}

/** What `access.revoked` tells of an item (wire C.4). */
export async function describeRevocation(inTransaction: Transaction, itemId: number) {
  return { item_id: itemId, package_collection: await listPackageIds(itemId, inTransaction) };
}

/** What is given to somebody who need not pay for it. */
export type FreeGrant = Pick<Grant, 'merchantId' | 'account' | 'itemId' | 'accessFeeId' | 'ipAddress'>;

/**
 * Opens an item for good, once an account, with its event; as a transaction's last step. Asked again it answers the same.
 * Undefined: the merchant has taken it away since.
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

/** Tells of a grant that no payment tells of. */
export async function publishGrant(
  inTransaction: Transaction,
  merchantId: number,
  access: Awaited<ReturnType<typeof grantAccess>>,
): Promise<void> {
  const { id, account_id: accountId } = access;
  const dedupeKey = `access:${id}:granted`;
  await publish(inTransaction, merchantId, [{ type: 'access.granted', accountId, dedupeKey, resource: access }]);
}

/** What `access.granted` tells of an entitlement (wire C.4). */
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

/** `Auth`: free for whoever is signed in; `DataCapture`: for whoever has left its address (wire B.2). */
export async function isFreeTo(accountId: number, item: ItemWithContent): Promise<boolean> {
  const { name } = item.access_control_type;
  if (!item.is_active) return false;
  return name === 'Auth' || (name === 'DataCapture' && (await hasLeftAddress(accountId)));
}

/** The first check takes what is free, so that it can be listed, and taken away. */
async function takeFreeItem(caller: Caller, { id: itemId }: ItemWithContent): Promise<Entitlement | undefined> {
  const { merchantId, accountId: id, accountUuid: uuid, merchantUuid, clientAddress: ipAddress } = caller;
  const grant = { merchantId, account: { id, uuid, merchantUuid }, itemId, accessFeeId: null, ipAddress };
  await transaction((inTransaction) => giveFreely(inTransaction, grant));
  const key = { merchantId, accountId: id, itemId, pinOfSession: undefined };
  return (await readAccount(key)).entitlement;
}
