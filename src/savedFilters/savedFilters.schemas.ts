import { z } from 'zod';
import { userSorts } from '../accounts/registeredUsers.schemas';
import { AuditQuery } from '../audit/audit.schemas';
import { InvoicesQuery } from '../invoices/invoices.schemas';
import { itemSorts } from '../items/items.schemas';
import { formId, formMetadata, formText } from '../kit/form';
import { pageOf } from '../kit/page';
import { sortFields } from '../kit/sorting';
import { TransactionsQuery } from '../subscriptions/histories.schemas';
import { SubscriptionQuery } from '../subscriptions/subscriptions.schemas';
import { voucherSorts } from '../vouchers/vouchers.schemas';

const search = { search: formText({ max: 250 }).optional() };

/** The filters of each list, and its order. Their values have the rules of the list. */
export const filtersOf = {
  items: z.object({ ...search, ...sortFields(itemSorts) }),
  packages: z.object({ ...search, ...sortFields(itemSorts) }),
  vouchers: z.object({ ...search, ...sortFields(voucherSorts) }),
  customers: z.object({ ...search, ...sortFields(userSorts) }),
  subscriptions: SubscriptionQuery.pick({ status: true, account_id: true, item_id: true, sort: true, order: true }),
  transactions: TransactionsQuery.omit({ page: true, size: true, limit: true, cursor: true, exclude: true }),
  invoices: InvoicesQuery.pick({ search: true, kind: true, startDate: true, endDate: true, sort: true, order: true }),
  audit: AuditQuery.pick({ action: true, object_type: true, object_id: true, sort: true, order: true }).superRefine(
    ({ object_type: type, object_id: id }, found) => {
      if ((type === undefined) === (id === undefined)) return;
      const missing = type === undefined ? 'object_type' : 'object_id';
      found.addIssue({ code: 'custom', path: [missing], message: 'An object has a type and an id.' });
    },
  ),
};
export type FilteredList = keyof typeof filtersOf;

const List = z.enum(Object.keys(filtersOf) as [FilteredList, ...FilteredList[]]);

export const SavedFilterQuery = z.object({ list: List.optional() });
export const SavedFilterPath = z.object({ id: formId() });

/**
 * `query` contains the filters of the list and its order, such as `search`, `status` and `sort`. `account_id` is the filter by
 * customer: the id of a customer stays, and an address can change.
 */
export const SavedFilterBody = z.object({ list: List, name: formText({ max: 60 }), query: formMetadata() });

/** `created_at` is Unix time. */
export const SavedFilterResponse = z.object({
  id: z.int(),
  list: List,
  name: z.string(),
  query: z.record(z.string(), z.string()),
  created_at: z.int(),
});
export const SavedFilterList = pageOf(SavedFilterResponse);
