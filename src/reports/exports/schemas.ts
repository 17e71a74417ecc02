import { z } from 'zod';
import { formList } from '../../kit/form';
import { ItemQuery } from '../../items/schemas';
import { TransactionsQuery as PaymentHistoryQuery } from '../../subscriptions/histories/schemas';
import { SubscriptionQuery } from '../../subscriptions/schemas';
import { MovementsQuery, TransitionsQuery } from '../rows/schemas';

const names = ['customers', 'subscriptions', 'movements', 'transitions', 'vouchers', 'items', 'accesses'] as const;

export const ExportPath = z.object({ list: z.enum([...names, 'payment-history']) });

/** What the lists are asked by, each as where it is shown page by page; a filter that a list does not have is refused. */
export const ExportQuery = z
  .object({
    ...MovementsQuery.shape,
    ...TransitionsQuery.shape,
    ...SubscriptionQuery.shape,
    ...ItemQuery.shape,
    ...PaymentHistoryQuery.shape,
    search: formList(z.string().regex(/^[a-z_]+:[^]{1,250}$/, 'must be key:value'), 10).optional(),
  })
  .omit({ page: true, size: true, limit: true });

/** The first line names the columns; times are ISO 8601, and amounts in the major unit. */
export const Csv = z.string();
