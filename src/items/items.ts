import { type z } from 'zod';
import { getMerchant } from '../accounts/accounts';
import { requireRecentFactor } from '../accounts/secondFactors/recentFactors';
import { getOwned, transaction, type Transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { definedFields } from '../kit/fields';
import { message } from '../kit/page';
import {
  type CardRow,
  countMetadata,
  findCards,
  findExternalItem,
  findItem,
  Item,
  type ItemRow,
  writeMetadata,
} from './items.model';
import { presentItemCard, presentItemWithContent, type ItemContext } from './items.presenter';
import {
  accessControlTypes,
  type ItemBody,
  type ItemChanges,
  type ItemQuery,
  itemTypeNames,
  itemTypes,
  metadataNamesMax,
} from './items.schemas';
import { isActiveOf, type ItemSort, listSorted, readCards, searchFilter, type Tenant } from './search';

export { type CardRow, type ItemRow, type Tenant };
export type ItemInput = z.output<typeof ItemBody>;

/** An item with its metadata, and its merchant. */
export interface LoadedCard {
  item: CardRow;
  merchantUuid: string;
}

export interface LoadedItem extends LoadedCard {
  item: ItemRow;
}

export async function createItem(caller: Caller, input: ItemInput, requestId?: string) {
  const id = await transaction(async (inTransaction) => {
    const itemId = await insertItem(inTransaction, caller.merchantId, input);
    await audit(inTransaction, caller, { action: 'item.create', object: ['item', itemId], requestId });
    return itemId;
  });
  return readItem(caller, id);
}

/** Changes only the fields that are sent. */
export async function updateItem(caller: Caller, id: number, changes: z.output<typeof ItemChanges>) {
  await transaction(async (inTransaction) => {
    await changeItem(inTransaction, caller, id, changes);
    await audit(inTransaction, caller, { action: 'item.update', object: ['item', id] });
  });
  return readItem(caller, id);
}

/** Replaces the item: fields that are not sent get the values of a new item. */
export async function replaceItem(caller: Caller, id: number, input: ItemInput) {
  await transaction(async (inTransaction) => {
    const item = await lockItem(inTransaction, caller.merchantId, id);
    await writeItem(inTransaction, caller, item, { ...unsent, ...columnsOf(input), itemType: input.item_type });
    await writeMetadata(inTransaction, item, input.metadata ?? {}, { isWhole: true });
    await audit(inTransaction, caller, { action: 'item.update', object: ['item', id] });
  });
  return readItem(caller, id);
}

/** The merchant's items, by default newest first, without their content. */
export async function listItems(caller: Caller, query: z.output<typeof ItemQuery>) {
  const filter = filterOf(caller, query);
  const { rows, ...page } = await listSorted(filter, query);
  const { merchantUuid } = caller;
  return { ...page, collection: rows.map((item) => describeItem({ item, merchantUuid })) };
}

interface ItemExport extends Pick<z.output<typeof ItemQuery>, 'search' | 'item_type' | 'active'> {
  /** Only items of this package. */
  package_id?: number | undefined;
}

/** The same list in parts, for an export. */
export function readItems(tenant: Tenant, { sort, order, ...filter }: ItemExport & ItemSort) {
  return readCards(filterOf(tenant, filter), { sort, order });
}

function filterOf(tenant: Tenant, { search, item_type: itemType, active, package_id: packageId }: ItemExport) {
  return { ...searchFilter(tenant, search), itemType, isActive: isActiveOf(active), packageId };
}

/** Ends the sale of the item. Buyers keep access, and the item can still be read. */
export async function deleteItem(caller: Caller, id: number) {
  await setActive(caller, id, false);
  return message('Item successfully deactivated');
}

export async function reactivateItem(caller: Caller, id: number) {
  await setActive(caller, id, true);
  return message('Item successfully reactivated');
}

export async function setActive(caller: Caller, id: number, isActive: boolean): Promise<void> {
  const { isActive: before } = await getItemRow(caller.merchantId, id);
  if (before === isActive) return;
  const where = { id, merchantId: caller.merchantId };
  await transaction(async (inTransaction) => {
    await Item.update({ isActive, updatedAt: new Date() }, { where, transaction: inTransaction });
    const action = isActive ? 'item.reactivate' : 'item.deactivate';
    await audit(inTransaction, caller, { action, object: ['item', id] });
  });
}

const unsent = {
  content: '',
  accessControlType: 'Paid',
  externalId: null,
  templateId: null,
  eventType: null,
  planSwitchEnabled: true,
  nextInvoiceEnabled: false,
  isGiftable: false,
  giftDescription: null,
};

/** Inserts a merchant's item, and returns its id. */
export async function insertItem(inTransaction: Transaction, merchantId: number, input: ItemInput): Promise<number> {
  const { title, item_type: itemType } = input;
  const item = await Item.create(
    { ...unsent, ...columnsOf(input), title, itemType, merchantId },
    { transaction: inTransaction },
  );
  await writeMetadata(inTransaction, item, input.metadata ?? {}, { isWhole: false });
  return item.id;
}

/** Changes the sent fields of a merchant's item, and locks it until the commit. */
export async function changeItem(
  inTransaction: Transaction,
  caller: Caller,
  id: number,
  changes: z.output<typeof ItemChanges>,
): Promise<void> {
  const item = await lockItem(inTransaction, caller.merchantId, id);
  const { item_type: itemType = item.itemType } = changes;
  await writeItem(inTransaction, caller, item, { ...columnsOf(changes), itemType });
  if (changes.metadata) await addMetadata(inTransaction, item, changes.metadata);
}

async function addMetadata(inTransaction: Transaction, item: Item, metadata: Record<string, string>): Promise<void> {
  await writeMetadata(inTransaction, item, metadata, { isWhole: false });
  if ((await countMetadata(inTransaction, item.id)) <= metadataNamesMax) return;
  const explain = `The metadata must have at most ${metadataNamesMax} keys.`;
  throw new AppError('invalid_input', { errors: { metadata: explain } });
}

/**
 * An item never becomes a package, and a package never becomes an item of another type, because its members depend on
 * the type. An item that opens to more people needs the same confirmation as a deletion. The item is locked.
 */
async function writeItem(
  inTransaction: Transaction,
  caller: Caller,
  item: Item,
  columns: Partial<Item> & Pick<Item, 'itemType'>,
): Promise<void> {
  if ((columns.itemType === 'package') !== (item.itemType === 'package'))
    throw new AppError('invalid_input', {
      errors: { item_type: 'The item_type of a package cannot change, and no item can become a package.' },
    });
  const { accessControlType = item.accessControlType } = columns;
  if (opennessOf(accessControlType) > opennessOf(item.accessControlType))
    await requireRecentFactor(caller, inTransaction);
  await item.update({ ...columns, updatedAt: new Date() }, { transaction: inTransaction });
}

/** -1 for items that are sold or have codes, then those for each account, then those for each address. */
const opennessOf = (accessControlType: string) => ['Auth', 'DataCapture'].indexOf(accessControlType);

export function lockItem(inTransaction: Transaction, merchantId: number, id: number): Promise<Item> {
  const locked = { transaction: inTransaction, lock: inTransaction.LOCK.NO_KEY_UPDATE };
  return getOwned(Item, merchantId, id, 'item_not_found', locked);
}

/** The columns for the sent fields. */
function columnsOf(sent: z.output<typeof ItemChanges>) {
  return definedFields({
    title: sent.title,
    content: sent.content,
    accessControlType: accessControlTypes[(sent.access_control_type_id ?? 0) - 1],
    externalId: sent.external_asset_id,
    templateId: sent.template_id,
    eventType: sent.event_type,
    planSwitchEnabled: sent.plan_switch_enabled,
    nextInvoiceEnabled: sent.next_invoice_enabled,
    isGiftable: sent.is_giftable,
    giftDescription: sent.gift_metadata?.description,
  });
}

async function readItem({ merchantId, merchantUuid }: Caller, id: number) {
  return describeItemWithContent({ item: await getItemRow(merchantId, id), merchantUuid });
}

/** The public view of a merchant's item. */
export async function getItemOfMerchant(merchantUuid: string, id: number): Promise<LoadedItem> {
  const merchant = await getTenant(merchantUuid);
  return { item: await getItemRow(merchant.merchantId, id), merchantUuid: merchant.merchantUuid };
}

/** The merchant of a public path of the catalogue. */
export async function getTenant(merchantUuid: string): Promise<Tenant> {
  const merchant = await getMerchant(merchantUuid).catch((error: unknown) => {
    throw error instanceof AppError ? new AppError('item_not_found') : error;
  });
  return { merchantId: merchant.id, merchantUuid: merchant.uuid };
}

/** The newest item on sale with this id of the merchant's platform. */
export async function getExternalItem(tenant: Tenant, itemType: string, externalId: string): Promise<LoadedCard> {
  const item = await findExternalItem(tenant.merchantId, itemType, externalId);
  if (!item) throw new AppError('item_not_found');
  return { item, merchantUuid: tenant.merchantUuid };
}

export async function getItemRow(merchantId: number, id: number): Promise<ItemRow> {
  const item = await findItem(id);
  if (item?.merchantId !== merchantId) throw new AppError('item_not_found');
  return item;
}

/** Finds an item without its merchant. Ids are unique among all merchants, and public paths contain only the id. */
export async function getItemById(id: number, inTransaction?: Transaction): Promise<ItemRow> {
  const item = await findItem(id, inTransaction);
  if (!item) throw new AppError('item_not_found');
  return item;
}

/** Describes items by their ids, in one statement. */
export async function describeItems({ merchantUuid }: Pick<Tenant, 'merchantUuid'>, ids: readonly number[]) {
  const cards = await findCards(ids);
  return new Map(cards.map((item) => [item.id, describeItem({ item, merchantUuid })]));
}

export const describeItem = (loaded: LoadedCard) => presentItemCard(loaded.item, contextOf(loaded));

export const describeItemWithContent = (loaded: LoadedItem) => presentItemWithContent(loaded.item, contextOf(loaded));

function contextOf({ item, merchantUuid }: LoadedCard): ItemContext {
  const type = itemTypes[item.itemType] ?? { contentType: 'html', description: '' };
  return {
    merchantUuid,
    itemType: { id: itemTypeNames.indexOf(item.itemType) + 1, ...type },
    accessControl: {
      id: accessControlTypes.findIndex((name) => name === item.accessControlType) + 1,
      name: item.accessControlType,
      needsAccount: item.accessControlType === 'Paid' || item.accessControlType === 'Auth',
    },
  };
}
