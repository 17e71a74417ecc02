import { z } from 'zod';

export const ExportPath = z.object({
  list: z.enum(['customers', 'subscriptions', 'movements', 'transitions', 'vouchers', 'items', 'accesses']),
});

/** The first line names the columns; times are ISO 8601, and amounts in the major unit. */
export const Csv = z.string();
