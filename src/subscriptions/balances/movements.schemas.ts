import { z } from 'zod';
import { formId, formNumber, formText } from '../../kit/form';
import { cursorPageOf, CursorQuery } from '../../kit/page';

export const CustomerPath = z.object({ id: formId() });

const formCurrency = () => formText({ min: 3, max: 3 }).transform((code) => code.toUpperCase());

export const BalanceMovementsQuery = CursorQuery.extend({ currency: formCurrency().optional() });

/** `amount` is in the major unit: positive for credit, negative for a debt. `note` gives the reason. */
export const AdjustmentBody = z.object({
  amount: formNumber(),
  currency: formCurrency(),
  note: formText({ max: 500 }),
});

const balance = z.number().meta({
  description: 'In the major unit: positive for credit, negative for a debt. The next charge settles it',
});

export const Balances = z.object({ collection: z.array(z.object({ currency: z.string(), balance })) });

const reasons = [
  'plan_change',
  'charge',
  'charge_declined',
  'refund',
  'refund_failed',
  'refund_credit',
  'dispute',
  'dispute_won',
  'adjustment',
  'erasure',
] as const;

/**
 * `trx_token` and `transaction_token` name the charge and the purchase, as in the histories; empty without a charge.
 */
export const BalanceMovement = z.object({
  id: z.int(),
  amount: z.number().meta({ description: 'In the major unit; positive for credit' }),
  currency: z.string(),
  reason: z.enum(reasons),
  note: z.string(),
  trx_token: z.string(),
  transaction_token: z.string(),
  actor_account_id: z
    .int()
    .nullable()
    .meta({ description: 'The account that requested the movement; null for a consequence of another step' }),
  created_at: z.int(),
});

export const BalanceMovements = cursorPageOf(BalanceMovement);
