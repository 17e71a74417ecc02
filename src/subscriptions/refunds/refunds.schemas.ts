import { z } from 'zod';
import { formBool, formNumber } from '../../kit/form';

export const TransactionPath = z.object({ trx_token: z.string().max(100) });

/**
 * `amount` is in the major unit. Without it, the rest of the charge is refunded. `revoke_access` ends access
 * immediately.
 */
export const RefundBody = z.object({
  amount: formNumber().pipe(z.number().positive()).optional(),
  revoke_access: formBool().optional(),
});
export type RefundInput = z.output<typeof RefundBody>;
