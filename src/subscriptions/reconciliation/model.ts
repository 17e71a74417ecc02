import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

/** A charge as the provider is asked about it, and as it is given back. */
export interface DoubtfulCharge {
  id: number;
  merchantId: number;
  trxToken: string;
  idempotencyKey: string;
  amountMinor: number;
  currency: string;
  reference: string | null;
  /** Of the card that was charged; none once it is forgotten. */
  token: string | null;
  status: 'open' | 'declined';
  isErased: boolean;
}

// A charge that waits for its payer is in no doubt. Charges keep their merchant's time. What a provider kept silent about
// may turn up late; what was given up at the provider itself, within its own days.
const chargesStatement = statement<DoubtfulCharge>(
  'reconciliation_charges',
  `SELECT c.id, c.merchant_id AS "merchantId", c.trx_token AS "trxToken", c.idempotency_key AS "idempotencyKey",
     c.amount_minor AS "amountMinor", c.currency, c.reference, cards.token, c.status,
     a.erasing_at IS NOT NULL AS "isErased"
   FROM charges c JOIN accounts a ON a.id = c.account_id LEFT JOIN cards ON cards.id = c.card_id
   WHERE c.id > $1 AND (
     c.status = 'open' AND c.created_at < merchant_now(c.merchant_id) - interval '10 minutes'
     OR c.status = 'declined' AND c.returned_at IS NULL
       AND c.decline_reason IN ('provider_unavailable', 'provider_silent', 'authentication_expired', 'account_erased')
       AND c.settled_at > merchant_now(c.merchant_id) - CASE WHEN c.decline_reason = 'provider_silent'
         THEN interval '30 days' ELSE interval '3 days' END)
   ORDER BY c.id LIMIT $2`,
);

export const listDoubtfulCharges = (afterId: number, limit: number) => chargesStatement([afterId, limit]);

/** As the provider is asked about it. */
export interface DoubtfulRefund {
  id: number;
  idempotencyKey: string;
  chargeKey: string;
  chargeReference: string;
  amountMinor: number;
  currency: string;
}

const refundsStatement = statement<DoubtfulRefund>(
  'reconciliation_refunds',
  `SELECT r.id, r.token AS "idempotencyKey", c.idempotency_key AS "chargeKey", c.reference AS "chargeReference",
     r.amount_minor AS "amountMinor", r.currency
   FROM refunds r JOIN charges c ON c.id = r.charge_id
   WHERE r.id > $1 AND r.state = 'open' AND r.created_at < now() - interval '10 minutes' ORDER BY r.id LIMIT $2`,
);

export const listDoubtfulRefunds = (afterId: number, limit: number) => refundsStatement([afterId, limit]);

/** The success that came too late went back. False: that is written already. */
export async function noteReturn(inTransaction: Transaction, id: number, reference: string): Promise<boolean> {
  const noted = await execute(
    inTransaction,
    'UPDATE charges SET returned_at = now(), reference = $2 WHERE id = $1 AND returned_at IS NULL RETURNING id',
    [id, reference],
  );
  return noted.length > 0;
}
