import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { balanceKinds } from '../../src/adapters/cardProviders/balances';
import { timeNow, type Books } from './books';
import { disputeFeeMinor } from './disputes';
import { Refusal } from './refusal';

const BalanceRow = z.object({
  reference: z.string(),
  kind: z.enum(balanceKinds),
  chargeReference: z.string(),
  objectReference: z.string(),
  idempotencyKey: z.string(),
  amountMinor: z.coerce.number(),
  currency: z.string(),
  feeMinor: z.coerce.number(),
  feeCurrency: z.string(),
  at: z.string(),
});

const PayoutRow = z.object({ reference: z.string(), amount_minor: z.coerce.number(), currency: z.string() });

/** The part of each charge that the sandbox takes as its fee. */
const feeRate = 0.03;

const movements = `
  SELECT 'txn_' || c.reference AS reference, 'charge' AS kind, c.reference AS "chargeReference",
    '' AS "objectReference", c.idempotency_key AS "idempotencyKey", c.amount_minor AS "amountMinor", c.currency,
    CAST(ceil(c.amount_minor * ${feeRate}) AS integer) AS "feeMinor", c.currency AS "feeCurrency", c.charged_at AS at
  FROM charges c WHERE c.status = 'paid'
  UNION ALL SELECT 'txn_' || r.reference, 'refund', c.reference, r.reference, c.idempotency_key, r.amount_minor,
    c.currency, 0, c.currency, r.created_at
  FROM refunds r JOIN charges c ON c.idempotency_key = r.charge_key WHERE r.status IN ('refunded', 'pending')
  UNION ALL SELECT 'txn_dp_' || c.reference, 'dispute', c.reference, 'dp_' || c.reference, c.idempotency_key,
    c.amount_minor, c.currency, 0, c.currency, c.returned_at
  FROM charges c WHERE c.returned_at IS NOT NULL
  UNION ALL SELECT 'txn_' || d.reference, 'dispute', c.reference, d.reference, c.idempotency_key, d.amount_minor,
    c.currency, ${disputeFeeMinor}, c.currency, d.opened_at
  FROM disputes d JOIN charges c ON c.idempotency_key = d.charge_key
  UNION ALL SELECT 'txn_' || d.reference || '_won', 'dispute_won', c.reference, d.reference, c.idempotency_key,
    d.amount_minor, c.currency, 0, c.currency, d.won_at
  FROM disputes d JOIN charges c ON c.idempotency_key = d.charge_key WHERE d.won_at IS NOT NULL
  UNION ALL SELECT 'txn_' || p.reference, 'payout', '', p.reference, '', p.amount_minor, p.currency, 0, p.currency,
    p.created_at
  FROM payouts p
  UNION ALL SELECT 'txn_' || p.reference || '_back', 'payout_failure', '', p.reference, '', p.amount_minor, p.currency,
    0, p.currency, p.failed_at
  FROM payouts p WHERE p.failed_at IS NOT NULL`;

export interface WantedPayout {
  currency: string;
  /** Absent: the whole balance. Below zero, money comes from the bank. */
  amountMinor?: number | undefined;
}

/** The balance of an account: the movements of its money, and what is paid out to the bank of the merchant. */
export function createBalance({ query }: Books) {
  function list(since: string) {
    return query(`SELECT * FROM (${movements}) WHERE at >= $1`, [since]).map((row) => BalanceRow.parse(row));
  }

  function balanceIn(currency: string): number {
    const [row] = query(
      `SELECT coalesce(sum(CASE WHEN kind IN ('charge', 'payout_failure', 'dispute_won') THEN "amountMinor" ELSE -"amountMinor" END
         - "feeMinor"), 0) AS balance FROM (${movements}) WHERE currency = $1`,
      [currency],
    );
    return z.coerce.number().parse(row?.['balance']);
  }

  function payOut({ currency, amountMinor = balanceIn(currency) }: WantedPayout) {
    if (amountMinor === 0) throw new Refusal(422, 'no_balance', `There is nothing in ${currency} to pay out.`);
    const reference = `po_${randomBytes(16).toString('hex')}`;
    const rows = query('INSERT INTO payouts (reference, amount_minor, currency) VALUES ($1, $2, $3) RETURNING *', [
      reference,
      amountMinor,
      currency,
    ]);
    return PayoutRow.parse(rows[0]);
  }

  /** A payout fails once. */
  function failPayout(reference: string) {
    const values = [reference, timeNow()];
    const rows = query(
      'UPDATE payouts SET failed_at = coalesce(failed_at, $2) WHERE reference = $1 RETURNING *',
      values,
    );
    if (!rows[0]) throw new Refusal(404, 'unknown_payout', 'There is no such payout.');
    return PayoutRow.parse(rows[0]);
  }

  return { list, payOut, failPayout };
}
