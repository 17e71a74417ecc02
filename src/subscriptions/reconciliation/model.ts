import { statement } from '../../adapters/postgres/statement';

/** What should have an outcome by now, or was given up without one. */
export interface DoubtfulCharge {
  trxToken: string;
  idempotencyKey: string;
  status: 'open' | 'declined';
}

// A charge that waits for its payer is in no doubt. Charges keep their merchant's time.
const chargesStatement = statement<DoubtfulCharge>(
  'reconciliation_charges',
  `SELECT trx_token AS "trxToken", idempotency_key AS "idempotencyKey", status FROM charges
   WHERE status = 'open' AND created_at < merchant_now(merchant_id) - interval '10 minutes'
     OR status = 'declined' AND decline_reason IN ('provider_unavailable', 'authentication_expired')
       AND settled_at > merchant_now(merchant_id) - interval '3 days'
   ORDER BY id DESC LIMIT $1`,
);

export const listDoubtfulCharges = (limit: number) => chargesStatement([limit]);

/** As the provider is asked about it. */
export interface DoubtfulRefund {
  idempotencyKey: string;
  chargeKey: string;
  chargeReference: string;
  amountMinor: number;
  currency: string;
}

const refundsStatement = statement<DoubtfulRefund>(
  'reconciliation_refunds',
  `SELECT r.token AS "idempotencyKey", c.idempotency_key AS "chargeKey", c.reference AS "chargeReference",
     r.amount_minor AS "amountMinor", r.currency
   FROM refunds r JOIN charges c ON c.id = r.charge_id
   WHERE r.state = 'open' AND r.created_at < now() - interval '10 minutes' ORDER BY r.id DESC LIMIT $1`,
);

export const listDoubtfulRefunds = (limit: number) => refundsStatement([limit]);
