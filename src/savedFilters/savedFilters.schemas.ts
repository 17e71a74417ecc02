import { z } from 'zod';
import { AuditQuery } from '../audit/audit.schemas';
import { InvoicesQuery } from '../invoices/invoices.schemas';
import { formText } from '../kit/form';
import { TransactionsQuery } from '../subscriptions/histories.schemas';
import { SubscriptionQuery } from '../subscriptions/subscriptions.schemas';

const bySearch = z.object({ search: formText({ max: 250 }).optional() });

/** The filters of each list. Their values have the rules of the list. */
export const filtersOf = {
  items: bySearch,
  packages: bySearch,
  vouchers: bySearch,
  customers: bySearch,
  subscriptions: SubscriptionQuery.pick({ status: true }),
  transactions: TransactionsQuery.pick({ type: true, startDate: true, endDate: true }),
  invoices: InvoicesQuery.pick({ search: true, kind: true, startDate: true, endDate: true }),
  audit: AuditQuery.pick({ action: true }),
};
export type FilteredList = keyof typeof filtersOf;

export const FilterName = z.object({ name: formText({ max: 60 }) });
