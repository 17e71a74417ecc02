import { type StoredMethod } from '../cards.model';
import { statement } from '../../adapters/postgres/statement';

/** The charge behind a confirmation link. */
export interface LinkedCharge {
  id: number;
  kind: 'subscription' | 'payment';
  status: 'open' | 'requires_action' | 'processing' | 'paid' | 'declined';
  merchantId: number;
  accountId: number;
  accessFeeId: number;
  merchantUuid: string;
  idempotencyKey: string;
  reference: string | null;
  amountMinor: number;
  currency: string;
  returnUrl: string | null;
  cardToken: string | null;
  /** The account of the card. */
  provider: string | null;
  /** The last four digits of the card. */
  cardDigits: string | null;
  method: StoredMethod | null;
}

// A retry gives up a waiting charge and creates another one in the same cycle. The link then leads to the new one.
const linkedStatement = statement<LinkedCharge>(
  'charge_of_confirmation',
  `SELECT c.id, CASE WHEN c.payment_id IS NULL THEN 'subscription' ELSE 'payment' END AS kind, c.status,
     m.id AS "merchantId", c.account_id AS "accountId", c.access_fee_id AS "accessFeeId", m.uuid AS "merchantUuid",
     c.idempotency_key AS "idempotencyKey", c.reference, c.amount_minor AS "amountMinor", c.currency,
     coalesce(s.return_url, p.return_url) AS "returnUrl", cards.token AS "cardToken", cards.provider,
     cards.last_four AS "cardDigits", cards.method
   FROM charges named
     JOIN charges c ON c.subscription_id = named.subscription_id AND c.cycle = named.cycle AND c.reversed_at IS NULL
       OR c.payment_id = named.payment_id
     LEFT JOIN subscriptions s ON s.id = c.subscription_id
     LEFT JOIN payments p ON p.id = c.payment_id
     JOIN accounts a ON a.id = c.account_id AND a.erasing_at IS NULL
     JOIN accounts m ON m.id = c.merchant_id
     LEFT JOIN cards ON cards.id = c.card_id
   WHERE named.id = $1
   ORDER BY c.status = 'paid' DESC, c.status = 'requires_action' DESC, c.id DESC LIMIT 1`,
);

/** Undefined if the purchase or its account no longer exists. */
export async function findLinkedCharge(chargeId: number): Promise<LinkedCharge | undefined> {
  const [charge] = await linkedStatement([chargeId]);
  return charge;
}

/** The product of a subscription whose card is set up, and the address to which its payer returns. */
export interface LinkedSetup {
  merchantUuid: string;
  returnUrl: string | null;
}

const setupStatement = statement<LinkedSetup>(
  'card_setup_of_confirmation',
  `SELECT m.uuid AS "merchantUuid", s.return_url AS "returnUrl"
   FROM card_setups u JOIN accounts m ON m.id = u.merchant_id LEFT JOIN subscriptions s ON s.id = u.subscription_id
     JOIN accounts a ON a.id = u.account_id AND a.erasing_at IS NULL
   WHERE u.id = $1`,
);

/** Undefined if the set-up or its account no longer exists. */
export async function findLinkedSetup(setupId: number): Promise<LinkedSetup | undefined> {
  const [setup] = await setupStatement([setupId]);
  return setup;
}
