import { z } from 'zod';
import { userSorts } from '../accounts/registeredUsers.schemas';
import { AuditQuery } from '../audit/audit.schemas';
import { InvoicesQuery } from '../invoices/invoices.schemas';
import { itemSorts } from '../items/items.schemas';
import { formText } from '../kit/form';
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
  subscriptions: SubscriptionQuery.pick({ status: true, sort: true, order: true }),
  transactions: TransactionsQuery.pick({ type: true, startDate: true, endDate: true, sort: true, order: true }),
  invoices: InvoicesQuery.pick({ search: true, kind: true, startDate: true, endDate: true, sort: true, order: true }),
  audit: AuditQuery.pick({ action: true, sort: true, order: true }),
};
export type FilteredList = keyof typeof filtersOf;

export const FilterName = z.object({ name: formText({ max: 60 }) });
