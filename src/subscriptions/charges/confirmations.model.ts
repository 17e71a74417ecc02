import { statement } from '../../adapters/postgres/statement';

/** The charge behind a confirmation link. */
export interface LinkedCharge {
  id: number;
  status: 'open' | 'requires_action' | 'paid' | 'declined';
  subscriptionId: number;
  merchantId: number;
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
}

// A retry gives a waiting charge up and makes another one. The link then leads to the other one, in the same cycle.
const linkedStatement = statement<LinkedCharge>(
  'charge_of_confirmation',
  `SELECT c.id, c.status, c.subscription_id AS "subscriptionId", m.id AS "merchantId",
     m.uuid AS "merchantUuid",
     c.idempotency_key AS "idempotencyKey", c.reference, c.amount_minor AS "amountMinor", c.currency,
     s.return_url AS "returnUrl", cards.token AS "cardToken", cards.provider, cards.last_four AS "cardDigits"
   FROM charges named
     JOIN charges c ON c.subscription_id = named.subscription_id AND c.cycle = named.cycle
     JOIN subscriptions s ON s.id = c.subscription_id
     JOIN accounts a ON a.id = c.account_id AND a.erasing_at IS NULL
     JOIN accounts m ON m.id = c.merchant_id
     LEFT JOIN cards ON cards.id = c.card_id
   WHERE named.id = $1
   ORDER BY c.status = 'paid' DESC, c.status = 'requires_action' DESC, c.id DESC LIMIT 1`,
);

/** Undefined if the subscription or its account no longer exists. */
export async function findLinkedCharge(chargeId: number): Promise<LinkedCharge | undefined> {
  const [charge] = await linkedStatement([chargeId]);
  return charge;
}
