import { type Transaction } from '../../adapters/postgres/connection';
import { isHere } from '../../adapters/postgres/moving';
import { statement } from '../../adapters/postgres/statement';

/** A mandate of a payment on a page of a bank pays for renewals. The first payment cannot be taken back. */
const isDebit = `(k.method = 'direct_debit' OR k.method IN ('ideal', 'bancontact') AND c.cycle > 1)`;

const debitStatement = statement<{ cycle: number }>(
  'charge_debit',
  `SELECT c.cycle FROM charges c JOIN cards k ON k.id = c.card_id WHERE c.id = $1 AND ${isDebit}`,
);

/** The cycle of a charge that is a direct debit; undefined for every other charge. */
export async function findDebit(chargeId: number, inTransaction: Transaction): Promise<{ cycle: number } | undefined> {
  const [debit] = await debitStatement([chargeId], inTransaction);
  return debit;
}

/** A direct debit that may still be taken back. */
export interface PaidDebit {
  id: number;
  merchantId: number;
  provider: string;
  idempotencyKey: string;
  /** The merchant's present time. */
  at: Date;
}

// A payer can take a direct debit back for eight weeks. `settled_at` is in merchant time.
const paidStatement = statement<PaidDebit>(
  'debits_paid',
  `SELECT c.id, c.merchant_id AS "merchantId", k.provider, c.idempotency_key AS "idempotencyKey",
     merchant_now(c.merchant_id) AS at
   FROM charges c JOIN cards k ON k.id = c.card_id AND ${isDebit}
   WHERE c.id > $1 AND c.merchant_id = coalesce($3, c.merchant_id) AND c.status = 'paid' AND ${isHere('c.merchant_id')}
     AND c.settled_at > merchant_now(c.merchant_id) - interval '56 days'
     AND NOT EXISTS (SELECT FROM disputes d WHERE d.charge_id = c.id)
   ORDER BY c.id LIMIT $2`,
);

export const listPaidDebits = (afterId: number, limit: number, merchantId?: number) =>
  paidStatement([afterId, limit, merchantId ?? null]);

const waitingStatement = statement<{ id: number; reference: string }>(
  'debits_of_payments',
  `SELECT id, reference FROM charges
   WHERE merchant_id = $1 AND status = 'processing' AND payment_id IS NOT NULL AND reference IS NOT NULL`,
);

/** The direct debits of one-time payments on which a bank decides. */
export const listProcessingPayments = (merchantId: number) => waitingStatement([merchantId]);
