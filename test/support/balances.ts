import { type TestApp } from './startApp';

/** The balance of a customer in minor units. A negative balance is a debt. */
export async function balanceOf(app: Pick<TestApp, 'pool'>, accountId: number, currency = 'EUR'): Promise<number> {
  const text = 'SELECT balance_minor::int AS balance FROM customer_balances WHERE account_id = $1 AND currency = $2';
  return (await app.pool.query<{ balance: number }>(text, [accountId, currency])).rows[0]?.balance ?? 0;
}

/** A negative amount is a debt. */
export async function giveCredit(
  app: Pick<TestApp, 'pool'>,
  accountId: number,
  amountMinor: number,
  currency = 'EUR',
): Promise<void> {
  await app.pool.query(
    `INSERT INTO balance_movements (merchant_id, account_id, currency, amount_minor, reason, cause, created_at)
     SELECT merchant_id, id, $3, $2, 'adjustment', gen_random_uuid(), now() FROM accounts WHERE id = $1`,
    [accountId, amountMinor, currency],
  );
}
