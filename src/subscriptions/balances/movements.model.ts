import { type Transaction } from '../../adapters/postgres/connection';
import { firstOf, query, statement } from '../../adapters/postgres/statement';
import { totalOf } from '../../adapters/postgres/totals';
import { type MovementReason } from './balances.model';

const customerStatement = statement<{ isErasing: boolean }>(
  'balance_customer',
  `SELECT erasing_at IS NOT NULL AS "isErasing" FROM accounts WHERE merchant_id = $1 AND id = $2 AND role = 'consumer'`,
);

/** Undefined if the merchant has no customer with this id. */
export async function findCustomer(merchantId: number, accountId: number) {
  const [customer] = await customerStatement([merchantId, accountId]);
  return customer;
}

const balancesStatement = statement<{ currency: string; balanceMinor: number }>(
  'balances_of_account',
  `SELECT currency, balance_minor AS "balanceMinor" FROM customer_balances WHERE account_id = $1 ORDER BY currency`,
);

export const listBalances = (accountId: number) => balancesStatement([accountId]);

export interface ListedMovement {
  id: number;
  accountId: number;
  amountMinor: number;
  currency: string;
  reason: MovementReason;
  note: string;
  trxToken: string;
  transactionToken: string;
  actorAccountId: number | null;
  createdAt: Date;
}

const rowText = `SELECT m.id, m.account_id AS "accountId", m.amount_minor AS "amountMinor", m.currency, m.reason, m.note,
    coalesce(c.trx_token, '') AS "trxToken", coalesce(s.token, p.token, '') AS "transactionToken",
    m.actor_account_id AS "actorAccountId", m.created_at AS "createdAt"
  FROM balance_movements m
  LEFT JOIN charges c ON c.id = m.charge_id
  LEFT JOIN subscriptions s ON s.id = ${firstOf('m.subscription_id', 'c.subscription_id')}
  LEFT JOIN payments p ON p.id = c.payment_id`;

const wanted = `m.merchant_id = $1 AND ($2::int IS NULL OR m.account_id = $2)
  AND ($3::text IS NULL OR m.currency = $3)`;

/** Without `accountId`, the movements of all customers of the merchant. */
export interface MovementFilter {
  merchantId: number;
  accountId?: number | undefined;
  currency?: string | undefined;
}

const pageText = `${rowText} WHERE ${wanted} AND ($4::bigint IS NULL OR m.id < $4)
  ORDER BY m.id DESC LIMIT $5 OFFSET $6`;

export function readMovements(filter: MovementFilter, limit: number, afterId?: number, offset = 0) {
  return query<ListedMovement>(pageText, [...valuesOf(filter), afterId ?? null, limit, offset]);
}

const valuesOf = ({ merchantId, accountId, currency }: MovementFilter) => [
  merchantId,
  accountId ?? null,
  currency ?? null,
];

/** Newest first. */
export async function listMovements(
  filter: MovementFilter,
  { limit, offset, after }: { limit: number; offset: number; after: { id: number } | undefined },
): Promise<{ rows: ListedMovement[]; total: number }> {
  const rows = await readMovements(filter, limit, after?.id, offset);
  const values = valuesOf(filter);
  const page = { limit, offset, found: rows.length, isAfterRow: after !== undefined };
  const total = await totalOf(`balance movements ${JSON.stringify(values)}`, page, async () => {
    const text = `SELECT count(*)::int AS total FROM balance_movements m WHERE ${wanted}`;
    const [counted] = await query<{ total: number }>(text, values);
    return counted?.total ?? 0;
  });
  return { rows, total };
}

const causedStatement = statement<ListedMovement>(
  'balance_movement_of_cause',
  `${rowText} WHERE m.account_id = $1 AND m.cause = $2`,
);

export async function getMovement(
  inTransaction: Transaction,
  { accountId, cause }: { accountId: number; cause: string },
): Promise<ListedMovement> {
  const [movement] = await causedStatement([accountId, cause], inTransaction);
  if (!movement) throw new Error(`there is no movement ${cause}`);
  return movement;
}

export interface OpenBalance {
  id: number;
  email: string;
  currency: string;
  balanceMinor: number;
  updatedAt: Date;
}

/** Balances other than 0, ordered by account and currency, after the position `after`. */
export function readOpenBalances(
  { merchantId, currency }: Omit<MovementFilter, 'accountId'>,
  limit: number,
  after?: { id: number; currency: string },
): Promise<OpenBalance[]> {
  const text = `SELECT a.id, a.email, b.currency, b.balance_minor AS "balanceMinor", b.updated_at AS "updatedAt"
    FROM customer_balances b JOIN accounts a ON a.id = b.account_id
    WHERE b.merchant_id = $1 AND b.balance_minor <> 0 AND ($2::text IS NULL OR b.currency = $2)
      AND ($3::int IS NULL OR (b.account_id, b.currency) > ($3, $4)) ORDER BY b.account_id, b.currency LIMIT $5`;
  return query<OpenBalance>(text, [merchantId, currency ?? null, after?.id ?? null, after?.currency ?? null, limit]);
}
