import {
  bigint,
  char,
  defaulted,
  integer,
  modelOf,
  nullable,
  serial,
  text,
  time,
} from '../../adapters/postgres/columns';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

/** A payment that the provider has under one of our idempotency keys, but whose purchase does not exist here. */
export class UnmatchedPayment extends modelOf({
  id: serial(),
  /** The provider's id of the payment. */
  reference: text(),
  /** The account that has the payment. */
  provider: text(),
  /** The key of the lost charge. It begins with the token of the purchase. */
  idempotencyKey: text(),
  merchantId: nullable(integer()),
  /** Null if the customer was lost too. */
  accountId: nullable(integer()),
  amountMinor: bigint(),
  currency: char(3),
  paidAt: time(),
  foundAt: defaulted(time()),
  state: defaulted(text<'open' | 'refunding' | 'refunded' | 'failed'>()),
  refundToken: nullable(text()),
  refundReference: nullable(text()),
  failureMessage: nullable(text()),
  requestedBy: nullable(integer()),
  settledAt: nullable(time()),
}) {}
UnmatchedPayment.init(UnmatchedPayment.columns, { sequelize, tableName: 'unmatched_payments' });

/** A payment from the provider's list, in the currency's minor unit. */
export interface FoundPayment {
  idempotencyKey: string;
  reference: string;
  amountMinor: number;
  currency: string;
  paidAt: Date;
  /** The account that has the payment. */
  provider: string;
  /** The ids that the provider stored with the payment. In a merchant's own account, `merchantId` is that merchant. */
  merchantId?: number | undefined;
  accountId?: number | undefined;
}

/**
 * False if the payment is known. A restored database reuses ids, so an account that was created after the payment is
 * not the payer. An erased account is not stored.
 */
export async function insertFound(inTransaction: Transaction, found: FoundPayment): Promise<boolean> {
  const { idempotencyKey, amountMinor, currency, reference, paidAt, merchantId = null } = found;
  const { accountId = null, provider } = found;
  const rows = await execute(
    inTransaction,
    `INSERT INTO unmatched_payments (reference, idempotency_key, amount_minor, currency, paid_at, merchant_id, account_id,
       provider)
     SELECT $1, $2, $3, $4, $5::timestamptz, m.id, a.id, $8
     FROM (SELECT) one
     LEFT JOIN accounts m ON m.id = $6 AND m.role = 'merchant' AND m.created_at < $5::timestamptz + interval '1 second'
     LEFT JOIN accounts a ON a.id = $7 AND a.merchant_id = m.id AND a.created_at < $5::timestamptz + interval '1 second'
       AND a.erased_at IS NULL
     ON CONFLICT (reference) DO NOTHING RETURNING id`,
    [reference, idempotencyKey, amountMinor, currency, paidAt, merchantId, accountId, provider],
  );
  return rows.length > 0;
}

const openStatement = statement<{ count: number }>(
  'unmatched_open',
  `SELECT count(*)::int AS count FROM unmatched_payments WHERE merchant_id = $1 AND state IN ('open', 'failed')`,
);

/** The number of payments that can be refunded. */
export async function countOpenUnmatched(merchantId: number): Promise<number> {
  return (await openStatement([merchantId]))[0]?.count ?? 0;
}
