import { z } from 'zod';

export const Live = z.object({ status: z.literal('live') });

/** `temporal` may be down while the service is ready: the outbox keeps what it is told later. */
export const Ready = z.object({
  status: z.literal('ready'),
  database: z.literal('up'),
  temporal: z.enum(['up', 'down']),
});
