import { type Transaction } from '../../adapters/postgres/connection';
import { isHere } from '../../adapters/postgres/moving';
import { execute, statement } from '../../adapters/postgres/statement';
import { type FoundPayment } from './unmatched.model';

/** A charge that is looked up at the provider. */
export interface DoubtfulCharge {
  id: number;
  merchantId: number;
  trxToken: string;
  idempotencyKey: string;
  amountMinor: number;
  currency: string;
  reference: string | null;
  /** The token of the charged card; null if the card was deleted. */
  token: string | null;
  /** The account of the card. */
  provider: string | null;
  status: 'open' | 'requires_action' | 'processing' | 'declined';
  /** The merchant's present time. */
  at: Date;
  isErased: boolean;
}

// `created_at` and `settled_at` are in merchant time. A charge that the provider never answered, and a direct debit
// that was given up, are looked up for 30 days. A charge that was given up for another reason is looked up for 3 days.
// Runs look direct debits up, so only old ones are listed.
const chargesStatement = statement<DoubtfulCharge>(
  'reconciliation_charges',
  `SELECT c.id, c.merchant_id AS "merchantId", c.trx_token AS "trxToken", c.idempotency_key AS "idempotencyKey",
     c.amount_minor AS "amountMinor", c.currency, c.reference, cards.token, cards.provider, c.status,
     a.erasing_at IS NOT NULL AS "isErased", merchant_now(c.merchant_id) AS at
   FROM charges c JOIN accounts a ON a.id = c.account_id LEFT JOIN cards ON cards.id = c.card_id
   WHERE c.id > $1 AND ${isHere('c.merchant_id')} AND (
     c.status IN ('open', 'requires_action') AND c.created_at < merchant_now(c.merchant_id) - interval '10 minutes'
     OR c.status = 'processing' AND c.created_at < merchant_now(c.merchant_id) - interval '21 days'
     OR c.status = 'declined' AND c.returned_at IS NULL
       AND c.decline_reason IN ('provider_unavailable', 'provider_silent', 'debit_given_up', 'authentication_expired',
         'account_erased')
       AND c.settled_at > merchant_now(c.merchant_id) - CASE WHEN c.decline_reason IN ('provider_silent', 'debit_given_up')
         THEN interval '30 days' ELSE interval '3 days' END)
   ORDER BY c.id LIMIT $2`,
);

export const listDoubtfulCharges = (afterId: number, limit: number) => chargesStatement([afterId, limit]);

/** A refund that is looked up at the provider. */
export interface DoubtfulRefund {
  id: number;
  idempotencyKey: string;
  chargeKey: string;
  chargeReference: string;
  amountMinor: number;
  currency: string;
  merchantId: number;
  /** The account that has the money. */
  provider: string | null;
}

const refundsStatement = statement<DoubtfulRefund>(
  'reconciliation_refunds',
  `SELECT r.id, r.token AS "idempotencyKey", c.idempotency_key AS "chargeKey", c.reference AS "chargeReference",
     r.amount_minor AS "amountMinor", r.currency, r.merchant_id AS "merchantId", cards.provider
   FROM refunds r JOIN charges c ON c.id = r.charge_id LEFT JOIN cards ON cards.id = c.card_id
   WHERE r.id > $1 AND ${isHere('r.merchant_id')} AND r.state = 'open' AND r.created_at < now() - interval '10 minutes' ORDER BY r.id LIMIT $2`,
);

export const listDoubtfulRefunds = (afterId: number, limit: number) => refundsStatement([afterId, limit]);

/** Records that a late payment was refunded. False if it is already recorded. */
export async function noteReturn(inTransaction: Transaction, id: number, reference: string): Promise<boolean> {
  const noted = await execute(
    inTransaction,
    'UPDATE charges SET returned_at = now(), reference = $2 WHERE id = $1 AND returned_at IS NULL RETURNING id',
    [id, reference],
  );
  return noted.length > 0;
}

const knownStatement = statement<{ isKnown: boolean }>(
  'reconciliation_charge_of_key',
  `SELECT EXISTS (SELECT FROM charges WHERE idempotency_key = $1 OR reference = $2)
     OR EXISTS (SELECT FROM subscriptions s WHERE s.token = regexp_replace($1, ':\\d+:\\d+$', '') AND NOT ${isHere('s.merchant_id')})
     OR EXISTS (SELECT FROM payments p WHERE p.token = $1 AND NOT ${isHere('p.merchant_id')}) AS "isKnown"`,
);

/** Whether a payment in the provider's list has a charge in this database, or is of a merchant that moves or has moved. */
export async function hasCharge({ idempotencyKey, reference }: FoundPayment): Promise<boolean> {
  const [row] = await knownStatement([idempotencyKey, reference]);
  return row?.isKnown ?? false;
}

const recordedBy = (kind: 'subscription' | 'payment') => `
  INSERT INTO charges (merchant_id, account_id, ${kind}_id, cycle, attempt, idempotency_key, card_id, amount_minor,
    currency, status, reference, created_at, settled_at, known_at, recorded_at)
  SELECT merchant_id, account_id, id, $2::int, $3::int, $4, card_id, $5::bigint, $6, 'paid', $7, $8, $8, now(), now()
  FROM ${kind}s WHERE token = $1 AND merchant_id = coalesce($9, merchant_id) ON CONFLICT DO NOTHING
  RETURNING id, trx_token AS "trxToken"`;

export interface RecordedCharge {
  id: number;
  trxToken: string;
}

/**
 * Inserts a charge for a payment that only the provider knows, so that the payment is listed and can be refunded.
 * `ownerId`: the payment is in this merchant's own account. The merchant can write any key there, so only this
 * merchant's purchases count. Undefined if the purchase is unknown here, or its charge
 * exists.
 */
export async function recordCharge(
  inTransaction: Transaction,
  paid: FoundPayment,
  ownerId?: number,
): Promise<RecordedCharge | undefined> {
  const { idempotencyKey, amountMinor, currency, reference, paidAt } = paid;
  const [, token, cycle, attempt] = /^(.+):(\d+):(\d+)$/.exec(idempotencyKey) ?? [];
  const values = (name: string) => [
    name,
    cycle ?? 1,
    attempt ?? 1,
    idempotencyKey,
    amountMinor,
    currency,
    reference,
    paidAt,
    ownerId ?? null,
  ];
  const [row] =
    token === undefined
      ? await execute<RecordedCharge>(inTransaction, recordedBy('payment'), values(idempotencyKey))
      : await execute<RecordedCharge>(inTransaction, recordedBy('subscription'), values(token));
  return row;
}
