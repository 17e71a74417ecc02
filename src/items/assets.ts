import { type z } from 'zod';
import { getMerchantUuid } from '../accounts/merchants/merchantUuids';
import { transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type PageHosts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { type PageQuery } from '../kit/page';
import { readNestedFees, refusingTakenNames, saveNestedFees } from './accessFees/changes';
import { refuseUnseen } from '../restrictions/restrictions';
import { describeWithFees, feesOf, type Viewer } from './accessFees/accessFees';
import { listCards, searchFilter } from './search';
import {
  changeItem,
  describeItemWithContent,
  getExternalItem,
  getItemById,
  getItemOfMerchant,
  getItemRow,
  getTenant,
  insertItem,
  type LoadedCard,
  type LoadedItem,
} from './items';
import { type AssetBody, type CollectionQuery, type ExternalPath } from './assets.schemas';

/** The item's card with its fees, for a paywall. */
export async function getItem(merchantUuid: string, itemId: number, viewer: Viewer) {
  return describeForSale(await getItemOfMerchant(merchantUuid, itemId), viewer);
}

/** The card of an item by its id, or the cards of a merchant's items on sale by its uuid. */
export async function getItemOrCatalogue(id: number | string, query: z.output<typeof PageQuery>, viewer: Viewer) {
  if (typeof id === 'string') return listCatalogue(id, query, viewer);
  const item = await getItemById(id);
  return describeForSale({ item, merchantUuid: await getMerchantUuid(item.merchantId) }, viewer);
}

/**
 * Throws `item_restricted` with the item's id if its domains or countries refuse the viewer, so that the page can show
 * a preview. The viewer is not signed in, so a minimum age is checked later.
 */
export async function getExternalAsset(
  path: z.output<typeof ExternalPath>,
  merchantUuid: string,
  viewer: Viewer & PageHosts,
) {
  const tenant = await getTenant(merchantUuid);
  const loaded = await getExternalItem(tenant, path.type, path.external_id);
  await refuseUnseen(
    {
      merchantId: tenant.merchantId,
      host: viewer.host,
      refererHost: viewer.refererHost,
      address: viewer.clientAddress,
    },
    loaded.item.id,
  );
  return describeForSale(loaded, viewer);
}

/** The merchant's view of an item: with its content and every fee that is not retired. */
export async function getMerchantItem(caller: Caller, merchantUuid: string, itemId: number) {
  if (merchantUuid.toLowerCase() !== caller.merchantUuid) throw new AppError('item_not_found');
  return describeAsset({ item: await getItemRow(caller.merchantId, itemId), merchantUuid: caller.merchantUuid });
}

/** The merchant's items in the order that old clients request. */
export async function listCollection(caller: Caller, query: z.output<typeof CollectionQuery>) {
  const { order = 'id', direction = 'desc', is_active: isActive } = query;
  const by = order === 'created_at' ? 'id' : order;
  const filter = { ...searchFilter(caller), isActive };
  const { rows, ...page } = await listCards(filter, query, { by, isDescending: direction === 'desc' });
  const collection = await describeWithFees(rows.map((item) => ({ item, merchantUuid: caller.merchantUuid })));
  return { ...page, pages: Math.ceil(page.total / page.limit), collection };
}

/** Creates or changes an item with its fees in one transaction. */
export async function saveAsset(caller: Caller, input: z.output<typeof AssetBody>) {
  const { item_id: itemId, access_fees: feeInputs, ...fields } = input;
  if (itemId !== undefined) await getItemRow(caller.merchantId, itemId);
  const fees = await readNestedFees(caller, feeInputs);
  const savedId = await refusingTakenNames(() =>
    transaction(async (inTransaction) => {
      const id = itemId ?? (await insertItem(inTransaction, caller.merchantId, newItem(fields)));
      if (itemId !== undefined) await changeItem(inTransaction, caller, itemId, fields);
      await saveNestedFees(inTransaction, caller, id, fees);
      const action = itemId === undefined ? 'item.create' : 'item.update';
      await audit(inTransaction, caller, { action, object: ['item', id] });
      return id;
    }),
  );
  const item = await getItemRow(caller.merchantId, savedId);
  return describeAsset({ item, merchantUuid: caller.merchantUuid });
}

function newItem({ title, item_type = 'html_asset', ...fields }: Omit<z.output<typeof AssetBody>, 'access_fees'>) {
  if (title === undefined)
    throw new AppError('missing_parameter', { errors: { title: 'The title must not be empty.' } });
  return { ...fields, title, item_type };
}

async function listCatalogue(merchantUuid: string, query: z.output<typeof PageQuery>, viewer: Viewer) {
  const tenant = await getTenant(merchantUuid);
  const { rows, ...page } = await listCards({ ...searchFilter(tenant), isActive: true }, query);
  const loaded = rows.map((item) => ({ item, merchantUuid: tenant.merchantUuid }));
  return { ...page, collection: await describeWithFees(loaded, viewer) };
}

async function describeForSale(loaded: LoadedCard, viewer: Viewer) {
  const [described] = await describeWithFees([loaded], viewer);
  if (!described) throw new Error('an item was not described');
  return described;
}

async function describeAsset(loaded: LoadedItem) {
  const fees = await feesOf([loaded]);
  return { ...describeItemWithContent(loaded), access_fees: fees.get(loaded.item.id) ?? [] };
}
