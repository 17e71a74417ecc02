import { type z } from 'zod';
import { getMerchant } from '../accounts/service';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { findItem, Item, ItemMetadata, type ItemRow } from './model';
import { presentItemCard, presentItemWithContent, type ItemContext } from './presenter';
import { accessControlTypes, itemTypeNames, itemTypes, type ItemBody } from './schemas';

/** A row with its metadata, and the merchant it belongs to. */
export interface LoadedItem {
  item: ItemRow;
  merchantUuid: string;
}

export async function createItem(caller: Caller, input: z.output<typeof ItemBody>) {
  const { merchantId, merchantUuid } = caller;
  const id = await transaction(async (inTransaction) => {
    const item = await Item.create(
      {
        merchantId,
        title: input.title,
        itemType: input.item_type,
        content: input.content ?? '',
        accessControlType: accessControlTypes[(input.access_control_type_id ?? 1) - 1] ?? 'Paid',
        externalId: input.external_asset_id ?? null,
        templateId: input.template_id ?? null,
        eventType: input.event_type ?? null,
      },
      { transaction: inTransaction },
    );
    const metadata = Object.entries(input.metadata ?? {});
    await ItemMetadata.bulkCreate(
      metadata.map(([name, value]) => ({ merchantId, itemId: item.id, name, value })),
      { transaction: inTransaction },
    );
    return item.id;
  });
  const item = await getItemRow(merchantId, id);
  return presentItemWithContent(item, contextOf({ item, merchantUuid }));
}

/** A merchant's item as anyone may see it. */
export async function getItemOfMerchant(merchantUuid: string, id: number): Promise<LoadedItem> {
  const merchant = await getMerchant(merchantUuid).catch((error: unknown) => {
    throw error instanceof AppError ? new AppError('item_not_found') : error;
  });
  return { item: await getItemRow(merchant.id, id), merchantUuid: merchant.uuid };
}

export async function getItemRow(merchantId: number, id: number): Promise<ItemRow> {
  const item = await findItem(id);
  if (item?.merchantId !== merchantId) throw new AppError('item_not_found');
  return item;
}

/** By id alone: item ids are unique over merchants, and public paths carry nothing else. */
export async function getItemById(id: number, inTransaction?: Transaction): Promise<ItemRow> {
  const item = await findItem(id, inTransaction);
  if (!item) throw new AppError('item_not_found');
  return item;
}

export const describeItem = (loaded: LoadedItem) => presentItemCard(loaded.item, contextOf(loaded));

export const describeItemWithContent = (loaded: LoadedItem) => presentItemWithContent(loaded.item, contextOf(loaded));

function contextOf({ item, merchantUuid }: LoadedItem): ItemContext {
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
