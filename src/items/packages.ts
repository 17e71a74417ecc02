import { type z } from 'zod';
import { getMerchantUuid } from '../accounts/merchants/merchantUuids';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message, type PageQuery, pageRange } from '../kit/page';
import { readNestedFees, refusingTakenNames, saveNestedFees } from './accessFees/changes';
import { describeWithFees, type Viewer } from './accessFees/accessFees';
import { isActiveOf, type ItemSort, listCards, listSorted, readCards, searchFilter, type Tenant } from './search';
import { changeItem, getItemById, getItemRow, getTenant, insertItem, type ItemRow, lockItem, setActive } from './items';
import { type LoadedCard } from './items';
import {
  addMembers,
  countMembers,
  findCandidates,
  findHeld,
  findHolders,
  removeMembers,
  removeOtherMembers,
} from './packages.model';
import {
  type MemberQuery,
  type MembershipBody,
  type PackageBody,
  type PackageChanges,
  type PackageQuery,
} from './packages.schemas';

type Input = z.output<typeof PackageBody>;
type Changes = z.output<typeof PackageChanges>;

/** A package is an item with its own fees that gives access to its member items. */
export async function createPackage(caller: Caller, { items = [], access_fees, ...fields }: Input) {
  const fees = await readNestedFees(caller, access_fees);
  const id = await refusingTakenNames(() =>
    transaction(async (inTransaction) => {
      const packageId = await insertItem(inTransaction, caller.merchantId, { ...fields, item_type: 'package' });
      await addItems(inTransaction, caller, packageId, { items });
      await saveNestedFees(inTransaction, caller, packageId, fees);
      await audit(inTransaction, caller, { action: 'package.create', object: ['item', packageId] });
      return packageId;
    }),
  );
  return describeOwn(caller, id);
}

/** Changes only the fields that are sent. A list of items replaces the members. */
export async function updatePackage(caller: Caller, id: number, { items, access_fees, ...fields }: Changes) {
  await getPackageRow(caller, id);
  const fees = await readNestedFees(caller, access_fees);
  await refusingTakenNames(() =>
    transaction(async (inTransaction) => {
      await changeItem(inTransaction, caller, id, fields);
      if (items) await removeOtherMembers(inTransaction, id, items);
      if (items) await addItems(inTransaction, caller, id, { items });
      await saveNestedFees(inTransaction, caller, id, fees);
      await audit(inTransaction, caller, { action: 'package.update', object: ['item', id] });
    }),
  );
  return describeOwn(caller, id);
}

/** Removes and adds members in one transaction. An item in both lists is a member afterwards. */
export async function updateMembership(caller: Caller, id: number, input: z.output<typeof MembershipBody>) {
  const { add_asset_ids = [], remove_asset_ids = [] } = input;
  await getPackageRow(caller, id);
  await transaction(async (inTransaction) => {
    const row = await lockItem(inTransaction, caller.merchantId, id);
    await refuseForeign(inTransaction, caller, remove_asset_ids);
    await removeMembers(inTransaction, id, remove_asset_ids);
    await addItems(inTransaction, caller, id, { add_asset_ids });
    await row.update({ updatedAt: new Date() }, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'package.update', object: ['item', id] });
  });
  return describeOwn(caller, id);
}

/** The merchant's packages, by default newest first, with every fee that is not retired. */
export async function listPackages(caller: Caller, query: z.output<typeof PackageQuery>) {
  const filter = { ...searchFilter(caller, query.search), itemType: 'package', isActive: isActiveOf(query.active) };
  const { rows, ...page } = await listSorted(filter, query);
  return { ...page, collection: await describeCards(caller, rows) };
}

type PackageExport = Pick<z.output<typeof PackageQuery>, 'search' | 'active'>;

/** The same list in parts, for an export. */
export async function* readPackages(caller: Caller, { search, active, ...sort }: PackageExport & ItemSort) {
  const filter = { ...searchFilter(caller, search), itemType: 'package', isActive: isActiveOf(active) };
  for await (const rows of readCards(filter, sort)) yield describeCards(caller, rows);
}

/**
 * The public view of a package, in the form of a package and of a page. For a merchant's uuid, the packages on sale.
 */
export async function getPackage(id: number | string, query: z.output<typeof PageQuery>, viewer: Viewer) {
  if (typeof id === 'string') return pageOfPackages(await getTenant(id), { query, isActive: true, viewer });
  const item = await getItemById(id);
  refuseOther(item);
  const merchantUuid = await getMerchantUuid(item.merchantId);
  const described = await describePackage({ item, merchantUuid }, { content: '', viewer });
  const { page, limit, offset } = pageRange(query);
  return { ...described, total: 1, page, offset, limit, collection: page === 1 ? [described] : [] };
}

/** The cards of a package's items on sale, newest first, with their own fees. */
export async function listPackageItems(packageId: number, query: z.output<typeof MemberQuery>, viewer: Viewer) {
  const item = await getItemById(packageId);
  refuseOther(item);
  const merchantUuid = await getMerchantUuid(item.merchantId);
  const filter = searchFilter({ merchantId: item.merchantId, merchantUuid }, query.search);
  const { rows, ...page } = await listCards({ ...filter, packageId, isActive: true }, query);
  return {
    ...page,
    collection: await describeWithFees(
      rows.map((row) => ({ item: row, merchantUuid })),
      viewer,
    ),
  };
}

/** The ids that are members of the caller's package. */
export function listHeld({ merchantId }: Caller, packageId: number, ids: readonly number[]): Promise<Set<number>> {
  return findHeld(merchantId, packageId, ids);
}

/** The ids of up to ten packages on sale that contain the item. */
export const listHolders = (itemId: number): Promise<number[]> => findHolders(itemId);

/** Ends the sale of the package. Buyers keep access to its items. */
export async function deletePackage(caller: Caller, id: number) {
  await getPackageRow(caller, id);
  await setActive(caller, id, false);
  return message('Package successfully deactivated');
}

export async function reactivatePackage(caller: Caller, id: number) {
  await getPackageRow(caller, id);
  await setActive(caller, id, true);
  return message('Package successfully reactivated');
}

async function getPackageRow({ merchantId }: Caller, id: number): Promise<ItemRow> {
  const item = await getItemRow(merchantId, id);
  refuseOther(item);
  return item;
}

function refuseOther({ itemType }: ItemRow): void {
  if (itemType !== 'package') throw new AppError('item_not_found');
}

/** Adds the merchant's items to its package. `lists` is the name of the field in errors. */
async function addItems(
  inTransaction: Transaction,
  caller: Caller,
  packageId: number,
  lists: Record<string, readonly number[]>,
): Promise<void> {
  for (const [field, ids] of Object.entries(lists)) {
    const candidates = await refuseForeign(inTransaction, caller, ids);
    const nested = candidates.find(({ isPackage }) => isPackage);
    if (nested) {
      const name = `${field}.${ids.indexOf(nested.id)}`;
      throw new AppError('invalid_input', { errors: { [name]: `The ${name} must not be a package.` } });
    }
    await addMembers(inTransaction, { id: packageId, merchantId: caller.merchantId }, ids);
  }
}

async function refuseForeign(inTransaction: Transaction, { merchantId }: Caller, ids: readonly number[]) {
  const candidates = await findCandidates(inTransaction, merchantId, ids);
  if (candidates.length < new Set(ids).size) throw new AppError('item_not_found');
  return candidates;
}

interface PackageList {
  query: z.output<typeof PageQuery>;
  isActive: boolean | undefined;
  /** Absent for the merchant itself. */
  viewer?: Viewer;
}

async function pageOfPackages(tenant: Tenant, { query, isActive, viewer }: PackageList) {
  const filter = { ...searchFilter(tenant), itemType: 'package', isActive };
  const { rows, ...page } = await listCards(filter, query);
  return { ...page, collection: await describeCards(tenant, rows, viewer) };
}

async function describeCards(tenant: Tenant, rows: readonly LoadedCard['item'][], viewer?: Viewer) {
  const cards = await describeWithFees(
    rows.map((item) => ({ item, merchantUuid: tenant.merchantUuid })),
    viewer,
  );
  const counts = await countMembers(rows.map(({ id }) => id));
  return cards.map((card) => ({ ...card, content: '', items: counts.get(card.id) ?? 0 }));
}

async function describePackage(loaded: LoadedCard, { content, viewer }: { content: string; viewer?: Viewer }) {
  const [card] = await describeWithFees([loaded], viewer);
  if (!card) throw new Error('a package was not described');
  const counts = await countMembers([card.id]);
  return { ...card, content, items: counts.get(card.id) ?? 0 };
}

async function describeOwn(caller: Caller, id: number) {
  const item = await getItemRow(caller.merchantId, id);
  return describePackage({ item, merchantUuid: caller.merchantUuid }, { content: item.content });
}
