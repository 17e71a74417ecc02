import { z } from 'zod';

export const ReceiptPath = z.object({ trx_token: z.string().max(300) });

export const ReceiptBytes = z
  .custom<Uint8Array>((value) => value instanceof Uint8Array)
  .meta({ type: 'string', format: 'binary' });
