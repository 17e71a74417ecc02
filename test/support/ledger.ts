import { type TestApp } from './startApp';
import { queryBooks } from './providerBooks';

export interface ChargeLine {
  cycle: number;
  attempt: number;
  amount: number;
  status: string;
  created: Date;
  settled: Date | null;
}

/** The stored charges of a subscription, in order. */
export async function chargesOf(app: Pick<TestApp, 'pool'>, token: string): Promise<ChargeLine[]> {
  const { rows } = await app.pool.query<ChargeLine>(
    `SELECT c.cycle, c.attempt, c.amount_minor AS amount, c.status, c.created_at AS created, c.settled_at AS settled
     FROM charges c JOIN subscriptions s ON s.id = c.subscription_id WHERE s.token = $1 ORDER BY c.cycle, c.attempt`,
    [token],
  );
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
}

/** The `trx_token` of a charge. `name`: under which it was sent to the provider. */
export async function tokenOfCharge(app: Pick<TestApp, 'pool'>, name: string): Promise<string> {
  const text = 'SELECT trx_token AS token FROM charges WHERE idempotency_key = $1';
  const { rows } = await app.pool.query<{ token: string }>(text, [name]);
  return rows[0]?.token ?? '';
}

/** What the card provider has charged for a subscription, by its own ledger. */
export async function takenFor(app: Pick<TestApp, 'pool'>, token: string): Promise<{ key: string; amount: number }[]> {
  const { rows } = await queryBooks<{ key: string; amount: string }>(
    app.pool,
    `SELECT idempotency_key AS key, amount_minor AS amount FROM sandbox_charges
     WHERE idempotency_key LIKE $1 AND status = 'paid' ORDER BY charged_at, idempotency_key`,
    [`${token}:%`],
  );
  return rows.map(({ key, amount }) => ({ key, amount: Number(amount) }));
}

/** The types of a subscription's events, in order. */
export async function eventsOf(app: Pick<TestApp, 'pool'>, token: string): Promise<string[]> {
  const { rows } = await app.pool.query<{ type: string }>(
    `SELECT type FROM events WHERE dedupe_key LIKE $1 AND merchant_id = (SELECT merchant_id FROM subscriptions
       WHERE token = $2) ORDER BY sequence`,
    [`${token}:%`, token],
  );
  return rows.map(({ type }) => type);
}

/** The mails to an account, in order, by template. */
export async function mailsTo(app: Pick<TestApp, 'pool'>, accountId: number): Promise<string[]> {
  const { rows } = await app.pool.query<{ template: string }>(
    `SELECT template FROM mails WHERE account_id = $1 AND template NOT IN ('activation') ORDER BY id`,
    [accountId],
  );
  return rows.map(({ template }) => template);
}

export interface Books {
  token: string;
  state: string;
  /** What the sandbox's card does. */
  card: string;
  /** The charges that our books record as paid. */
  ours: string[];
  /** What the account's cards were charged, by the provider's ledger. */
  theirs: string[];
}

/** Both books of a merchant's subscriptions, each of another account. */
export async function readLedgers(app: Pick<TestApp, 'pool'>, merchantId: number): Promise<Books[]> {
  const paid = (table: string, condition: string) =>
    `(SELECT coalesce(array_agg(reference || ' ' || amount_minor ORDER BY reference), '{}') FROM ${table} p
      WHERE p.status = 'paid' AND ${condition})`;
  const { rows } = await queryBooks<Books>(
    app.pool,
    `SELECT s.token, s.state, k.outcome AS card, ${paid('charges', 'p.subscription_id = s.id')} AS ours,
       ${paid('sandbox_charges', 'p.token IN (SELECT token FROM cards WHERE account_id = s.account_id)')} AS theirs
     FROM subscriptions s JOIN cards c ON c.id = s.card_id JOIN sandbox_cards k ON k.token = c.token
     WHERE s.merchant_id = $1 ORDER BY s.id`,
    [merchantId],
  );
  return rows;
}
