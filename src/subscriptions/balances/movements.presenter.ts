import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type ListedMovement } from './movements.model';
import { type BalanceMovement } from './movements.schemas';

/** `amount` is in the major unit. */
export function presentMovement(row: ListedMovement, amount: number): z.output<typeof BalanceMovement> {
  return {
    id: row.id,
    amount,
    currency: row.currency,
    reason: row.reason,
    note: row.note,
    trx_token: row.trxToken,
    transaction_token: row.transactionToken,
    actor_account_id: row.actorAccountId,
    created_at: unixSeconds(row.createdAt),
  };
}
