import { z } from 'zod';
import { formBool, formId, formText } from '../kit/form';
import { PageQuery, pageOf } from '../kit/page';
import { AccessFeeResponse, NestedFees } from './accessFees/accessFees.schemas';
import { ItemBody, ItemCard, itemTypeNames, ItemWithContent } from './items.schemas';

/** The id of an item or the uuid of a merchant: old clients use one path for both. */
export const ItemOrMerchantPath = z.object({ id: z.union([formId(), z.uuid()]) });

/** The platform by its short name: `jw` for items of the type `jw_asset`. */
export const ExternalPath = z.object({
  type: z
    .string()
    .transform((name) => `${name}_asset`)
    .pipe(z.enum(itemTypeNames)),
  external_id: formText({ max: 250 }),
});
export const ExternalQuery = z.object({ merchant_uuid: z.uuid() });

const orders = ['id', 'created_at', 'updated_at', 'title'] as const;

export const CollectionQuery = PageQuery.extend({
  order: z.enum(orders).optional(),
  direction: z.preprocess(lowerCase, z.enum(['asc', 'desc'])).optional(),
  is_active: formBool().optional(),
});

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/**
 * Without an `item_id` a new item is created, which needs a title. A fee with an id changes the fee of the item with
 * this id.
 */
export const AssetBody = z.object({
  item_id: formId().optional(),
  title: ItemBody.shape.title.optional(),
  item_type: ItemBody.shape.item_type.optional(),
  content: ItemBody.shape.content,
  metadata: ItemBody.shape.metadata,
  access_fees: NestedFees,
});

const access_fees = z.array(AccessFeeResponse);

export const ItemWithFees = ItemCard.extend({ access_fees });
export const ItemPageWithFees = pageOf(ItemWithFees);
export const CollectionPage = ItemPageWithFees.extend({ pages: z.int() });
export const AssetResponse = ItemWithContent.extend({ access_fees });
