import { z } from 'zod';
import { formId, formList } from '../kit/form';
import { CursorQuery, nextCursorField, PageQuery, pageOf } from '../kit/page';
import { sortFields } from '../kit/sorting';
import { AccessFeeResponse, NestedFees } from './accessFees/accessFees.schemas';
import { ItemOrMerchantPath } from './assets.schemas';
import { ActiveFilter, ItemBody, ItemCard, itemSorts, SearchTerms } from './items.schemas';

export { ItemOrMerchantPath };

/** Ids of items, without packages. */
const itemIds = formList(formId()).optional();

export const PackageBody = z.object({
  title: ItemBody.shape.title,
  content: ItemBody.shape.content,
  metadata: ItemBody.shape.metadata,
  items: itemIds,
  access_fees: NestedFees,
});

/** Fields that are not sent do not change. */
export const PackageChanges = PackageBody.extend({ title: ItemBody.shape.title.optional() });

export const MembershipBody = z.object({ add_asset_ids: itemIds, remove_asset_ids: itemIds });

export const PackageQuery = CursorQuery.extend({ search: SearchTerms, active: ActiveFilter, ...sortFields(itemSorts) });
export const MemberQuery = PageQuery.extend({ search: SearchTerms });

/** A card with its fees. `items` is the number of its items on sale. Only the merchant receives `content`. */
export const PackageResponse = ItemCard.extend({
  content: z.string(),
  items: z.int(),
  access_fees: z.array(AccessFeeResponse),
});
export const PackagePage = pageOf(PackageResponse);
export const OwnPackagePage = PackagePage.extend({ next_cursor: nextCursorField });

/** Some clients read a package, others a page with one package. */
export const PackageOrPage = z.union([PackageResponse.extend(PackagePage.shape), PackagePage]);
