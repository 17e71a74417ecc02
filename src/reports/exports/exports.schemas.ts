import { z } from 'zod';
import { AuditQuery } from '../../audit/audit.schemas';
import { formEmail, formId, formList, formText } from '../../kit/form';
import { userSorts } from '../../accounts/registeredUsers.schemas';
import { ItemQuery, itemSorts } from '../../items/items.schemas';
import { sortFields } from '../../kit/sorting';
import { TransactionsQuery as PaymentHistoryQuery } from '../../subscriptions/histories.schemas';
import { SubscriptionQuery, subscriptionSorts } from '../../subscriptions/subscriptions.schemas';
import { JournalQuery } from '../books/books.schemas';
import { voucherSorts } from '../../vouchers/vouchers.schemas';
import { SeriesQuery } from '../reports.schemas';
import { MovementsQuery, TransitionsQuery } from '../rows.schemas';

const salesLists = [
  'subscriptions',
  'payment-history',
  'invoices',
  'unmatched-payments',
  'disputes',
  'differences',
  'balance-transactions',
  'accesses',
  'movements',
  'transitions',
  'balances',
  'balance-movements',
  'journal',
  'cancel-offers',
] as const;
const customerLists = [
  'customers',
  'data-captures',
  'undelivered-mails',
  'timeline',
  'audit',
  'followers',
  'test-mailbox',
] as const;
const catalogueLists = ['items', 'packages', 'access-fees', 'access-codes', 'access-code-devices'] as const;
const voucherLists = ['vouchers', 'voucher-batches', 'voucher-rules', 'gifts'] as const;
const restrictionLists = ['country-sets', 'geo-sets', 'domains'] as const;
const setupLists = [
  'apps',
  'register-fields',
  'features',
  'webhooks',
  'webhook-deliveries',
  'report-schedules',
] as const;
const staffLists = ['staff', 'staff-invitations'] as const;

const reportLists = [
  'mrr-report',
  'revenue-report',
  'subscription-report',
  'trial-report',
  'dunning-report',
  'cohort-report',
] as const;

export const ExportPath = z.object({
  list: z.enum([
    ...salesLists,
    ...customerLists,
    ...catalogueLists,
    ...voucherLists,
    ...restrictionLists,
    ...setupLists,
    ...staffLists,
    ...reportLists,
  ]),
});

/** The keys of each paged list by which its export can be sorted as well. */
export const exportSorts = {
  customers: userSorts,
  items: itemSorts,
  packages: itemSorts,
  vouchers: voucherSorts,
  subscriptions: subscriptionSorts,
  'payment-history': ['created'],
  invoices: ['issued'],
  audit: ['created'],
} as const satisfies Partial<Record<z.output<typeof ExportPath>['list'], readonly string[]>>;

/**
 * The filters and the order of an export are those of the paged list. A filter that the list does not have is refused, and
 * so is such an order. `ids[]`: only these rows.
 */
export const ExportQuery = z
  .object({
    ...MovementsQuery.shape,
    ...TransitionsQuery.shape,
    ...SubscriptionQuery.shape,
    ...ItemQuery.shape,
    ...PaymentHistoryQuery.shape,
    ...AuditQuery.shape,
    ...JournalQuery.shape,
    search: formList(z.string().regex(/^[a-z_]+:[^]{1,250}$/, 'must be key:value'), 10).optional(),
    ids: formList(formText({ max: 64 }), 100).optional(),
    package_id: formId().optional(),
    voucher_id: formId().optional(),
    webhook_id: formId().optional(),
    interval: SeriesQuery.shape.interval.unwrap().optional(),
    code_id: formText({ max: 100 }).optional(),
    to_email: formEmail().optional(),
    ...sortFields(['created', 'issued', 'email', 'name', 'title', 'code', 'ends', 'period_end']),
  })
  .omit({ page: true, size: true, limit: true, cursor: true });

/** The first line names the columns. Times are ISO 8601, amounts are in the major unit. */
export const Csv = z.string();
