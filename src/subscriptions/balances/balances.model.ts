import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** A balance belongs to a customer of a merchant, in one currency. */
export interface Customer {
  merchantId: number;
  accountId: number;
  currency: string;
}

export type MovementReason =
  | 'plan_change'
  | 'charge'
  | 'charge_declined'
  | 'refund'
  | 'refund_failed'
  | 'refund_credit'
  | 'dispute'
  | 'dispute_won'
  | 'adjustment'
  | 'erasure';

export interface NewMovement {
  /** Positive amounts are credit for the customer. */
  amountMinor: number;
  reason: MovementReason;
  /** Unique for each account: a second movement with the same cause is not written. */
  cause: string;
  chargeId?: number | undefined;
  refundId?: number | undefined;
  subscriptionId?: number | undefined;
  /** The account that made the request; absent if the movement is a consequence of another step. */
  actorAccountId?: number | undefined;
  note?: string | undefined;
  /** Merchant time. Absent: now. */
  at?: Date | undefined;
}

const lockStatement = statement<{ balance: number }>(
  'customer_balance_lock',
  'SELECT balance_minor AS balance FROM customer_balances WHERE account_id = $1 AND currency = $2 FOR UPDATE',
);

/** Locks the balance until the commit. */
export async function lockBalance(
  inTransaction: Transaction,
  { accountId, currency }: Pick<Customer, 'accountId' | 'currency'>,
): Promise<number> {
  const [row] = await lockStatement([accountId, currency], inTransaction);
  return row?.balance ?? 0;
}

const readStatement = statement<{ balance: number }>(
  'customer_balance_read',
  'SELECT balance_minor AS balance FROM customer_balances WHERE account_id = $1 AND currency = $2',
);

/** The customer's credit in minor units; negative if the customer owes. */
export async function readBalance(
  { accountId, currency }: Pick<Customer, 'accountId' | 'currency'>,
  inTransaction?: Transaction,
): Promise<number> {
  const [row] = await readStatement([accountId, currency], inTransaction);
  return row?.balance ?? 0;
}

// An erased account has no balance, so no movement is written for it.
const moveStatement = statement<{ id: number }>(
  'balance_move',
  `INSERT INTO balance_movements (merchant_id, account_id, currency, amount_minor, reason, cause, charge_id, refund_id,
     subscription_id, actor_account_id, note, created_at)
   SELECT a.merchant_id, a.id, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11, merchant_now(a.merchant_id))
   FROM accounts a WHERE a.id = $1 AND a.erased_at IS NULL
   ON CONFLICT (account_id, cause) DO NOTHING RETURNING id`,
);

/** False if the movement exists already, the amount is 0, or the account is erased. */
export async function moveBalance(
  inTransaction: Transaction,
  { accountId, currency }: Pick<Customer, 'accountId' | 'currency'>,
  movement: NewMovement,
): Promise<boolean> {
  const { amountMinor, reason, cause, chargeId = null, refundId = null, subscriptionId = null } = movement;
  const { actorAccountId = null, note = '', at = null } = movement;
  if (amountMinor === 0) return false;
  const about = [chargeId, refundId, subscriptionId, actorAccountId, note, at];
  const written = await moveStatement([accountId, currency, amountMinor, reason, cause, ...about], inTransaction);
  return written.length > 0;
}

const sumStatement = statement<{ sum: number; count: number }>(
  'balance_sum_of_charge',
  `SELECT coalesce(sum(amount_minor), 0)::bigint AS sum, count(*)::int AS count FROM balance_movements
   WHERE charge_id = $1 AND reason = ANY($2)`,
);

/** The sum of a charge's movements with these reasons. */
export async function sumMovements(
  inTransaction: Transaction,
  chargeId: number,
  reasons: readonly MovementReason[],
): Promise<number> {
  const [row] = await sumStatement([chargeId, reasons], inTransaction);
  return row?.sum ?? 0;
}

export async function countMovements(
  inTransaction: Transaction,
  chargeId: number,
  reasons: readonly MovementReason[],
): Promise<number> {
  const [row] = await sumStatement([chargeId, reasons], inTransaction);
  return row?.count ?? 0;
}
