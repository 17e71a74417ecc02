import { z } from 'zod';
import { AuditQuery } from '../../audit/schemas';
import { formEmail, formId, formList, formText } from '../../kit/form';
import { ItemQuery } from '../../items/schemas';
import { TransactionsQuery as PaymentHistoryQuery } from '../../subscriptions/histories/schemas';
import { SubscriptionQuery } from '../../subscriptions/schemas';
import { MovementsQuery, TransitionsQuery } from '../rows/schemas';

const salesLists = ['subscriptions', 'payment-history', 'accesses', 'movements', 'transitions'] as const;
const customerLists = ['customers', 'data-captures', 'timeline', 'audit', 'followers', 'test-mailbox'] as const;
const catalogueLists = ['items', 'packages', 'access-fees', 'access-codes', 'access-code-devices'] as const;
const voucherLists = ['vouchers', 'voucher-rules', 'gifts'] as const;
const restrictionLists = ['country-sets', 'geo-sets', 'domains'] as const;
const setupLists = [
  'apps',
  'register-fields',
  'features',
  'webhooks',
  'webhook-deliveries',
  'report-schedules',
] as const;

export const ExportPath = z.object({
  list: z.enum([
    ...salesLists,
    ...customerLists,
    ...catalogueLists,
    ...voucherLists,
    ...restrictionLists,
    ...setupLists,
  ]),
});

/** What the lists are asked by, each as where it is shown page by page; a filter that a list does not have is refused. */
export const ExportQuery = z
  .object({
    ...MovementsQuery.shape,
    ...TransitionsQuery.shape,
    ...SubscriptionQuery.shape,
    ...ItemQuery.shape,
    ...PaymentHistoryQuery.shape,
    ...AuditQuery.shape,
    search: formList(z.string().regex(/^[a-z_]+:[^]{1,250}$/, 'must be key:value'), 10).optional(),
    package_id: formId().optional(),
    voucher_id: formId().optional(),
    webhook_id: formId().optional(),
    code_id: formText({ max: 100 }).optional(),
    to_email: formEmail().optional(),
  })
  .omit({ page: true, size: true, limit: true });

/** The first line names the columns; times are ISO 8601, and amounts in the major unit. */
export const Csv = z.string();
