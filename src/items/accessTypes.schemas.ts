import { z } from 'zod';

export const accessTypeNames = ['ppv', 'ppv_custom', 'subscription', 'freemium'] as const;
export const periods = ['hour', 'day', 'week', 'month', 'year'] as const;

export const AccessTypeResponse = z.object({
  id: z.int(),
  account_id: z.int(),
  name: z.string(),
  quantity: z.int(),
  period: z.enum(periods),
  created_at: z.int(),
  updated_at: z.int(),
});
