import { z } from 'zod';
import { formId, formList } from '../../kit/form';
import { PageQuery, pageOf } from '../../kit/page';
import { AccessFeeResponse, NestedFees } from '../accessFees/schemas';
import { ItemOrMerchantPath } from '../assets/schemas';
import { ActiveFilter, ItemBody, ItemCard, SearchTerms } from '../schemas';

export { ItemOrMerchantPath };

/** Ids of items; none of them a package. */
const itemIds = formList(formId()).optional();

export const PackageBody = z.object({
  title: ItemBody.shape.title,
  content: ItemBody.shape.content,
  metadata: ItemBody.shape.metadata,
  items: itemIds,
  access_fees: NestedFees,
});

/** What is not sent stays as it is. */
export const PackageChanges = PackageBody.extend({ title: ItemBody.shape.title.optional() });

export const MembershipBody = z.object({ add_asset_ids: itemIds, remove_asset_ids: itemIds });

export const PackageQuery = PageQuery.extend({ search: SearchTerms, active: ActiveFilter });
export const MemberQuery = PageQuery.extend({ search: SearchTerms });

/** A card with its fees; `items` is how many of its items are on sale, and `content` is empty for all but its merchant. */
export const PackageResponse = ItemCard.extend({
  content: z.string(),
  items: z.int(),
  access_fees: z.array(AccessFeeResponse),
});
export const PackagePage = pageOf(PackageResponse);

/** Some clients read the package itself, and some a page of it (wire B.5). */
export const PackageOrPage = z.union([PackageResponse.extend(PackagePage.shape), PackagePage]);
