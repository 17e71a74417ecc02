import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hasLeftAddress } from '../../accounts/dataCaptures/service';
import { getAccountRow } from '../../accounts/service';
import { merchantNow } from '../../adapters/clock';
import { countryOf } from '../../adapters/geoip';
import { environmentName } from '../../adapters/settings';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { Answer, type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { publish } from '../../notifications/publish';
import { checkRestrictions, needsPin, restricted } from '../../restrictions/service';
import { describeItemWithContent, getItemById } from '../service';
import {
  Access,
  type AccessSource,
  type CheckedAccount,
  checkReader,
  type Entitlement,
  findFreeAccess,
  insertAccess,
  insertFreeAccess,
  listPackageIds,
  type StoredAccess,
} from './model';
import { presentAccess } from './presenter';
import { moveBack, moveUp } from './stacking/service';

export { type AccessSource } from './model';

type DescribedItem = ReturnType<typeof describeItemWithContent>;

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

// Items change seldom and are read at every playback; a change drops the item from every replica's memory by NOTIFY,
// and what a lost NOTIFY leaves behind ends after a minute. Entitlements are never remembered.
// A reading is remembered from its start, so that a change that comes while it runs drops it too.
const items = new LRUCache<number, Promise<DescribedItem>>({
  max: 50_000,
  maxSize: 64_000_000,
  ttl: 60_000,
  // How often the clock is asked: by default a timer is set each millisecond.
  ttlResolution: 1_000,
});
/** What an item takes while nobody knows its content. */
const unknownSize = 2_000;
/** The bulk of an answer, which is the same for everybody, and a name for what it says. */
const itemTexts = new WeakMap<DescribedItem, { text: string; tag: string }>();
/** Never changed, so never forgotten but for want of room. */
const merchantUuids = new LRUCache<number, string>({ max: 10_000 });

const readCheckedAccount = checkReader(environmentName);

/**
 * The access check that every playback makes: the content, or 402. Item and rules come from memory, the entitlement and
 * the session's pin always from the database, in one statement shared by the checks that arrive together.
 */
export async function checkAccess(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const { item, entitlement } = await getOpenItem(caller, itemId, request);
  const { accountId, accountUuid, clientAddress: ipAddress } = caller;
  return presentAccess({ ...entitlement, accountId, accountUuid, ipAddress, countryCode: countryOf(ipAddress) }, item);
}

/**
 * The same as an answer whose JSON is put together from the item's, which is made once. Its ETag changes with the
 * entitlement and with the item (subscriptions 3.11).
 */
export async function answerCheck(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const body = await checkAccess(caller, itemId, request);
  const { item, ...facts } = body;
  const { text, tag } = itemTexts.get(item) ?? rememberText(item);
  return new Answer(body, {
    json: `${JSON.stringify(facts).slice(0, -1)},"item":${text}}`,
    headers: { ETag: `W/"${facts.id}-${facts.expires_at}${facts.grace === true ? '-grace' : ''}-${tag}"` },
  });
}

/** An item that the caller may see now, and what opens it. Throws what the access check answers otherwise. */
export async function getOpenItem(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const { item, account } = await readCheck(caller, itemId, request);
  if (!account.entitlement && !(await isFreeTo(caller.accountId, item))) throw new AppError('access_not_found');
  await refuseWithoutPin(caller, itemId, account);
  const entitlement = account.entitlement ?? (await takeFreeItem(caller, item));
  if (!entitlement) throw new AppError('access_not_found');
  return { item, entitlement };
}

/** What opens an item to the caller, if anything does. Throws what the check answers where something else forbids it. */
export async function findAllowedEntitlement(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const { account } = await readCheck(caller, itemId, request);
  await refuseWithoutPin(caller, itemId, account);
  return account.entitlement;
}

/** The first steps of the check: the item exists, and no domain, country or age forbids it. */
async function readCheck(caller: Caller, itemId: number, request: Pick<RequestFacts, 'host'>) {
  const { accountId, merchantId, sessionId, clientAddress: address } = caller;
  const item = await getCheckedItem(merchantId, itemId);
  const account = await readCheckedAccount({ accountId, itemId, sessionId });
  if (!account) throw new AppError('invalid_auth_token');
  const { dateOfBirth, present } = account;
  const visitor = { merchantId, dateOfBirth, host: request.host, address, present };
  const { refusedBy } = await checkRestrictions(visitor, itemId);
  if (refusedBy !== undefined) throw restricted(refusedBy, itemId);
  return { item, account };
}

async function refuseWithoutPin({ merchantId }: Caller, itemId: number, { hasPin }: CheckedAccount): Promise<void> {
  if (!hasPin && (await needsPin(merchantId))) throw restricted('pin', itemId);
}

/** What the check knows of an item; another merchant's is one that does not exist. */
export async function getCheckedItem(merchantId: number, itemId: number): Promise<DescribedItem> {
  const item = await (items.get(itemId) ?? rememberItem(itemId));
  if (item.merchant_id !== merchantId) throw new AppError('item_not_found');
  return item;
}

/** The running entitlement that ends last, whatever else may forbid to see the item. */
async function findEntitlement(accountId: number, itemId: number): Promise<Entitlement | undefined> {
  const account = await readCheckedAccount({ accountId, itemId, sessionId: undefined });
  return account?.entitlement;
}

/** Drops an item from this replica's memory: some replica has changed it. */
export function forgetItem(itemId: number): void {
  items.delete(itemId);
}

export function forgetAllItems(): void {
  items.clear();
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

/** Ends what a source gave, at an instant. */
export async function endAccess(
  inTransaction: Transaction,
  given: { source: AccessSource; sourceId: number },
  endsAt: Date,
): Promise<void> {
  await Access.update({ expiresAt: endsAt }, { where: given, transaction: inTransaction });
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

interface Given {
  source: AccessSource;
  sourceId: number;
}

interface Owner {
  merchantId: number;
  accountId: number;
  itemId: number;
}

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

async function describeAccess(
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
export async function isFreeTo(accountId: number, item: DescribedItem): Promise<boolean> {
  const { name } = item.access_control_type;
  if (!item.is_active) return false;
  return name === 'Auth' || (name === 'DataCapture' && (await hasLeftAddress(accountId)));
}

/** The first check takes what is free, so that it can be listed, and taken away. */
async function takeFreeItem(caller: Caller, { id: itemId }: DescribedItem): Promise<Entitlement | undefined> {
  const { merchantId, accountId: id, accountUuid: uuid, merchantUuid, clientAddress: ipAddress } = caller;
  const grant = { merchantId, account: { id, uuid, merchantUuid }, itemId, accessFeeId: null, ipAddress };
  await transaction((inTransaction) => giveFreely(inTransaction, grant));
  return findEntitlement(id, itemId);
}

function rememberItem(itemId: number): Promise<DescribedItem> {
  const reading = loadItem(itemId);
  items.set(itemId, reading, { size: unknownSize });
  const isCurrent = () => items.peek(itemId) === reading;
  reading.then(
    (item) => {
      const size = unknownSize + 2 * rememberText(item).text.length;
      if (isCurrent()) items.set(itemId, reading, { size, noUpdateTTL: true });
    },
    () => {
      if (isCurrent()) items.delete(itemId);
    },
  );
  return reading;
}

function rememberText(item: DescribedItem) {
  const text = JSON.stringify(item);
  const said = { text, tag: createHash('sha256').update(text).digest('base64url').slice(0, 16) };
  itemTexts.set(item, said);
  return said;
}

async function loadItem(itemId: number): Promise<DescribedItem> {
  const item = await getItemById(itemId);
  return describeItemWithContent({ item, merchantUuid: await getMerchantUuid(item.merchantId) });
}

async function getMerchantUuid(merchantId: number): Promise<string> {
  const known = merchantUuids.get(merchantId);
  if (known !== undefined) return known;
  const { uuid } = await getAccountRow(merchantId);
  merchantUuids.set(merchantId, uuid);
  return uuid;
}
