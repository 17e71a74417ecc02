import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { settleDue, type SettledDue } from '../billing/dues';

/** What a customer has in credit with a merchant, by currency; below zero it owes (subscriptions 4). Never paid out. */

export interface Customer {
  merchantId: number;
  accountId: number;
  currency: string;
}

const addStatement = statement<{ balance: number }>(
  'customer_balance_add',
  `INSERT INTO customer_balances AS b (merchant_id, account_id, currency, balance_minor) VALUES ($1, $2, $3, $4)
   ON CONFLICT (account_id, currency)
     DO UPDATE SET balance_minor = b.balance_minor + excluded.balance_minor, updated_at = now()
   RETURNING balance_minor AS balance`,
);

export async function addToBalance(inTransaction: Transaction, of: Customer, amountMinor: number): Promise<void> {
  if (amountMinor !== 0) await addStatement([of.merchantId, of.accountId, of.currency, amountMinor], inTransaction);
}

const lockStatement = statement<{ balance: number }>(
  'customer_balance_lock',
  'SELECT balance_minor AS balance FROM customer_balances WHERE account_id = $1 AND currency = $2 FOR UPDATE',
);

/**
 * Settles a due amount with the balance as far as that goes, and carries in it what is too little to charge. What is not
 * charged in the end is given back by `addToBalance`: `takenMinor`.
 */
export async function takeFromBalance(inTransaction: Transaction, of: Customer, dueMinor: number): Promise<SettledDue> {
  const [row] = await lockStatement([of.accountId, of.currency], inTransaction);
  const settled = settleDue(dueMinor, row?.balance ?? 0, of.currency);
  await addToBalance(inTransaction, of, -settled.takenMinor);
  return settled;
}
