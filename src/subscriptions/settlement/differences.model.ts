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
import { type Account } from './balanceTransactions.model';

/** The kind of a difference. `missing` means missing here, `not_found` means missing at the provider. */
type DifferenceKind =
  | 'payment_missing'
  | 'payment_not_found'
  | 'refund_missing'
  | 'refund_not_found'
  | 'refund_failed'
  | 'amount_differs'
  | 'dispute_differs';

/** A movement of money on which the provider's books and ours do not agree. */
export class BalanceDifference extends modelOf({
  id: serial(),
  merchantId: integer(),
  provider: text(),
  kind: text<DifferenceKind>(),
  /** The provider's id of the payment, the refund or the dispute. */
  reference: text(),
  chargeReference: text(),
  chargeId: nullable(integer()),
  /** The amount in the provider's books and in ours. 0 in the books that do not have the movement. */
  providerMinor: bigint(),
  ledgerMinor: bigint(),
  currency: char(3),
  happenedAt: time(),
  foundAt: defaulted(time()),
  state: defaulted(text<'open' | 'resolved'>()),
  resolution: nullable(text<'recorded' | 'refunded' | 'accepted' | 'gone'>()),
  note: defaulted(text()),
  resolvedBy: nullable(integer()),
  resolvedAt: nullable(time()),
}) {}
BalanceDifference.init(BalanceDifference.columns, { sequelize, tableName: 'balance_differences' });

/** Older movements are not compared again. */
const window = `now() - interval '30 days'`;
/** Younger movements may not be in both books yet. */
const settled = `now() - interval '1 hour'`;
const columns = `merchant_id, kind, reference, charge_reference, charge_id, provider_minor, ledger_minor, currency, happened_at`;

/** `$1`: the account. `$2`: its merchant, or 0. `$3`: the time since which its movements are stored. */
const current = `
  WITH moved AS (
    SELECT * FROM balance_transactions WHERE provider = $1 AND ($2::int = 0 OR merchant_id = $2)
      AND happened_at BETWEEN greatest($3::timestamptz, ${window}) AND ${settled}
  ), found AS (
    SELECT t.merchant_id, CASE WHEN c.status = 'paid' THEN 'amount_differs' ELSE 'payment_missing' END AS kind,
      t.charge_reference AS reference, t.charge_reference, c.id AS charge_id, t.amount_minor AS provider_minor,
      CASE WHEN c.status = 'paid' THEN c.amount_minor ELSE 0 END AS ledger_minor, t.currency, t.happened_at
    FROM moved t LEFT JOIN charges c ON c.merchant_id = t.merchant_id
      AND (c.reference = t.charge_reference OR c.idempotency_key = t.idempotency_key)
    WHERE t.kind = 'charge' AND (c.id IS NULL OR c.status <> 'paid' AND c.returned_at IS NULL
      OR c.status = 'paid' AND (c.amount_minor, c.currency) <> (t.amount_minor, t.currency))
    UNION ALL
    SELECT t.merchant_id, CASE WHEN r.id IS NULL THEN 'refund_missing' ELSE 'amount_differs' END, t.object_reference,
      t.charge_reference, c.id, t.amount_minor,
      CASE WHEN r.state IN ('refunded', 'pending') THEN r.amount_minor ELSE 0 END, t.currency, t.happened_at
    FROM moved t JOIN charges c ON c.merchant_id = t.merchant_id AND c.reference = t.charge_reference
      LEFT JOIN refunds r ON r.charge_id = c.id AND r.reference = t.object_reference
    WHERE t.kind = 'refund' AND c.returned_at IS NULL AND (r.id IS NULL OR r.amount_minor <> t.amount_minor
        OR r.state = 'failed' AND NOT EXISTS (SELECT FROM moved back WHERE back.kind = 'refund_failure'
          AND back.merchant_id = t.merchant_id AND back.object_reference = t.object_reference))
    UNION ALL
    SELECT t.merchant_id, 'refund_failed', t.object_reference, t.charge_reference, c.id, 0, r.amount_minor, t.currency,
      t.happened_at
    FROM moved t JOIN charges c ON c.merchant_id = t.merchant_id AND c.reference = t.charge_reference
      JOIN refunds r ON r.charge_id = c.id AND r.reference = t.object_reference
    WHERE t.kind = 'refund_failure' AND r.state <> 'failed'
    UNION ALL
    SELECT DISTINCT ON (t.merchant_id, t.object_reference) t.merchant_id, 'dispute_differs', t.object_reference,
      t.charge_reference, c.id, t.amount_minor, coalesce(d.amount_minor, 0), t.currency, t.happened_at
    FROM moved t JOIN charges c ON c.merchant_id = t.merchant_id AND c.reference = t.charge_reference
      LEFT JOIN disputes d ON d.charge_id = c.id AND d.reference = t.object_reference
    WHERE t.kind = 'dispute' AND d.id IS NULL OR t.kind = 'dispute_won' AND d.is_won IS NOT TRUE
    UNION ALL
    SELECT c.merchant_id, 'payment_not_found', c.reference, c.reference, c.id, 0, c.amount_minor, c.currency, c.known_at
    FROM charges c JOIN cards ON cards.id = c.card_id AND cards.provider = $1
    WHERE c.status = 'paid' AND c.amount_minor > 0 AND c.reference IS NOT NULL AND ($2 = 0 OR c.merchant_id = $2)
      AND c.known_at BETWEEN greatest($3, ${window}) AND ${settled}
      AND NOT EXISTS (SELECT FROM balance_transactions t WHERE t.charge_reference = c.reference AND t.kind = 'charge'
        AND t.merchant_id = c.merchant_id)
    UNION ALL
    SELECT r.merchant_id, 'refund_not_found', r.reference, c.reference, c.id, 0, r.amount_minor, r.currency, r.created_at
    FROM refunds r JOIN charges c ON c.id = r.charge_id JOIN cards ON cards.id = c.card_id AND cards.provider = $1
    WHERE r.state IN ('refunded', 'pending') AND r.reference IS NOT NULL AND ($2 = 0 OR r.merchant_id = $2)
      AND r.created_at BETWEEN greatest($3, ${window}) AND ${settled}
      AND NOT EXISTS (SELECT FROM balance_transactions t WHERE t.charge_reference = c.reference AND t.kind = 'refund'
        AND t.merchant_id = r.merchant_id AND t.object_reference = r.reference)
  )`;

/** A difference that was recorded but found again is reopened. One that is no longer found is resolved. */
const noteText = `${current}, gone AS (
    UPDATE balance_differences d SET state = 'resolved', resolution = 'gone', resolved_at = now()
    WHERE d.provider = $1 AND ($2 = 0 OR d.merchant_id = $2) AND d.state = 'open' AND d.happened_at > ${window}
      AND NOT EXISTS (SELECT FROM found f
        WHERE (f.merchant_id, f.kind, f.reference) = (d.merchant_id, d.kind, d.reference))
    RETURNING d.id
  ), noted AS (
    INSERT INTO balance_differences AS d (provider, ${columns}) SELECT $1, ${columns} FROM found
    ON CONFLICT (merchant_id, provider, kind, reference) DO UPDATE SET state = 'open', resolution = NULL,
      resolved_at = NULL, resolved_by = NULL
      WHERE d.state = 'resolved' AND d.resolution IN ('recorded', 'gone')
    RETURNING d.id
  )
  SELECT (SELECT count(*) FROM noted)::int AS found, (SELECT count(*) FROM gone)::int AS gone`;

/**
 * Compares an account with our books since a time. Returns the number of new differences and of those that are gone.
 */
export async function noteDifferences(inTransaction: Transaction, { provider, ownerId }: Account, since: Date) {
  const [counted] = await execute<{ found: number; gone: number }>(inTransaction, noteText, [provider, ownerId, since]);
  return counted ?? { found: 0, gone: 0 };
}

/** The charge of a difference. */
export interface DifferentCharge {
  id: number;
  trxToken: string;
  idempotencyKey: string;
  status: 'open' | 'requires_action' | 'processing' | 'paid' | 'declined';
}

const chargesStatement = statement<DifferentCharge>(
  'balance_difference_charges',
  `SELECT id, trx_token AS "trxToken", idempotency_key AS "idempotencyKey", status FROM charges WHERE id = ANY($1::int[])`,
);

/** By the id of the charge. */
export async function findCharges(rows: readonly BalanceDifference[]): Promise<Map<number, DifferentCharge>> {
  const charges = await chargesStatement([rows.map(({ chargeId }) => chargeId).filter((id) => id !== null)]);
  return new Map(charges.map((charge) => [charge.id, charge]));
}

const keyStatement = statement<{ idempotencyKey: string | null }>(
  'balance_difference_key',
  `SELECT idempotency_key AS "idempotencyKey" FROM balance_transactions
   WHERE merchant_id = $1 AND provider = $2 AND charge_reference = $3 AND kind = 'charge'`,
);

/** Our key of a payment that only the provider knows. */
export async function findKey({ merchantId, provider, chargeReference }: BalanceDifference) {
  const [found] = await keyStatement([merchantId, provider, chargeReference]);
  return found?.idempotencyKey ?? undefined;
}

const openStatement = statement<{ count: number }>(
  'differences_open',
  `SELECT count(*)::int AS count FROM balance_differences WHERE merchant_id = $1 AND state = 'open'`,
);

/** The number of differences that are not resolved. */
export async function countOpenDifferences(merchantId: number): Promise<number> {
  return (await openStatement([merchantId]))[0]?.count ?? 0;
}
