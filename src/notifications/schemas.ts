import { z } from 'zod';
import { formInt } from '../kit/form';
import { EventMessage } from './events';

export const HistoryQuery = z.object({
  after: formInt().pipe(z.int().min(0)).optional(),
  limit: formInt().pipe(z.int().min(1).max(500)).optional(),
});

export const HistoryResponse = z.object({ collection: z.array(EventMessage) });
