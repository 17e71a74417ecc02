import { z } from 'zod';

export const Live = z.object({ status: z.literal('live') });

/** The service is ready without `temporal`, because the outbox stores messages until it is available. */
export const Ready = z.object({
  status: z.literal('ready'),
  database: z.literal('up'),
  temporal: z.enum(['up', 'down']),
});
