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

type BalanceKind =
  'charge' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_won' | 'fee' | 'payout' | 'payout_failure';

/** A movement of money in a payment account that concerns a charge of this installation, a fee or a payout. */
export class BalanceTransaction extends modelOf({
  id: serial(),
  merchantId: integer(),
  /** The payment account. */
  provider: text(),
  /** The provider's id of the movement. */
  reference: text(),
  kind: text<BalanceKind>(),
  chargeReference: text(),
  objectReference: text(),
  idempotencyKey: nullable(text()),
  /** In the currency of the payment. */
  amountMinor: bigint(),
  currency: char(3),
  /** In the currency of the account. */
  feeMinor: bigint(),
  feeCurrency: char(3),
  happenedAt: time(),
  notedAt: defaulted(time()),
}) {}
BalanceTransaction.init(BalanceTransaction.columns, { sequelize, tableName: 'balance_transactions' });

/** A movement as the provider lists it. */
interface Listed {
  reference: string;
  kind: BalanceKind;
  chargeReference: string;
  objectReference: string;
  idempotencyKey?: string;
  amountMinor: number;
  currency: string;
  feeMinor: number;
  feeCurrency: string;
  at: Date;
}

/** A payment account. `ownerId`: its merchant; 0 for the account of the installation. */
export interface Account {
  provider: string;
  ownerId: number;
}

const listedStatement = statement<{ listedFrom: Date; listedTo: Date }>(
  'balance_listing',
  `SELECT listed_from AS "listedFrom", listed_to AS "listedTo" FROM balance_listings
   WHERE provider = $1 AND owner_id = $2`,
);

/** The time for which the movements of an account are stored; undefined before the first listing. */
export async function findListing({ provider, ownerId }: Account) {
  const [listing] = await listedStatement([provider, ownerId]);
  return listing;
}

export async function noteListing(
  inTransaction: Transaction,
  { provider, ownerId }: Account,
  { from, to }: { from: Date; to: Date },
): Promise<void> {
  await execute(
    inTransaction,
    `INSERT INTO balance_listings (provider, owner_id, listed_from, listed_to) VALUES ($1, $2, $3, $4)
     ON CONFLICT (provider, owner_id) DO UPDATE SET listed_to = excluded.listed_to`,
    [provider, ownerId, from, to],
  );
}

const insertStatement = statement(
  'balance_transaction_insert',
  `WITH one AS (
     SELECT $1::text AS provider, $2::int AS owner_id, $3::text AS reference, $4::text AS kind, $5::text AS charge_reference,
       $6::text AS object_reference, $7::text AS idempotency_key, $8::bigint AS amount_minor, $9::char(3) AS currency,
       $10::bigint AS fee_minor, $11::char(3) AS fee_currency, $12::timestamptz AS happened_at, $13::int AS payee_id
   ), owned AS (
     SELECT one.*, CASE WHEN kind IN ('fee', 'payout', 'payout_failure') THEN payee_id ELSE c.merchant_id END AS merchant_id
     FROM one LEFT JOIN LATERAL (
       SELECT merchant_id FROM charges x
       WHERE one.charge_reference <> '' AND (x.reference = one.charge_reference OR x.idempotency_key = one.idempotency_key)
         AND (one.owner_id = 0 OR x.merchant_id = one.owner_id)
       UNION ALL SELECT merchant_id FROM subscriptions s
       WHERE one.kind = 'charge' AND s.token = regexp_replace(one.idempotency_key, ':\\d+:\\d+$', '')
         AND (one.owner_id = 0 OR s.merchant_id = one.owner_id)
       UNION ALL SELECT merchant_id FROM payments p WHERE one.kind = 'charge' AND p.token = one.idempotency_key
         AND (one.owner_id = 0 OR p.merchant_id = one.owner_id)
       LIMIT 1) c ON true
   )
   INSERT INTO balance_transactions (merchant_id, provider, reference, kind, charge_reference, object_reference,
     idempotency_key, amount_minor, currency, fee_minor, fee_currency, happened_at)
   SELECT merchant_id, provider, reference, kind, charge_reference, object_reference, idempotency_key, amount_minor,
     currency, fee_minor, fee_currency, happened_at
   FROM owned WHERE merchant_id IS NOT NULL
   ON CONFLICT (merchant_id, provider, reference) DO NOTHING`,
);

/**
 * Stores a movement once. Movements of other payments in the account are not stored, because a merchant can use an
 * account for other sales as well. `payeeId`: the merchant of the fees and the payouts. Without one they are not stored.
 */
export async function insertTransaction(
  { provider, ownerId }: Account,
  listed: Listed,
  payeeId: number | undefined,
): Promise<void> {
  const { reference, kind, chargeReference, objectReference, idempotencyKey = null, at } = listed;
  const { amountMinor, currency, feeMinor, feeCurrency } = listed;
  await insertStatement([
    ...[provider, ownerId, reference, kind, chargeReference, objectReference, idempotencyKey],
    ...[amountMinor, currency, feeMinor, feeCurrency, at, payeeId ?? null],
  ]);
}
