import { statement } from '../../adapters/postgres/statement';
import { type StoredMethod } from '../cards.model';

/** The payment behind a link in a mail. */
export interface LinkedPayment {
  merchantUuid: string;
  description: string;
  /** The saved method. Null if nothing is saved that can be charged without the payer. */
  method: StoredMethod | null;
  /** The last four digits of the card or the bank account; empty for a method without a number. */
  cardDigits: string;
  /** The newest charge of the cycle; null before the first one. */
  chargeId: number | null;
  chargeStatus: 'open' | 'requires_action' | 'processing' | 'paid' | 'declined' | null;
  declineReason: string | null;
  declineMessage: string | null;
}

const linkedStatement = statement<LinkedPayment>(
  'payment_of_pay_link',
  `SELECT m.uuid AS "merchantUuid", f.description, c.id AS "chargeId",
     CASE WHEN NOT cards.is_single_use THEN cards.method END AS method, coalesce(cards.last_four, '') AS "cardDigits",
     c.status AS "chargeStatus", c.decline_reason AS "declineReason", c.decline_message AS "declineMessage"
   FROM subscriptions s
     JOIN accounts a ON a.id = s.account_id AND a.erasing_at IS NULL
     JOIN accounts m ON m.id = s.merchant_id
     JOIN access_fees f ON f.id = s.access_fee_id
     LEFT JOIN cards ON cards.id = s.card_id
     LEFT JOIN LATERAL (SELECT id, status, decline_reason, decline_message FROM charges x
       WHERE x.subscription_id = s.id AND x.cycle = $2 AND x.reversed_at IS NULL
       ORDER BY x.status = 'paid' DESC, x.id DESC LIMIT 1) c ON true
   WHERE s.id = $1`,
);

/** Undefined if the subscription or its account no longer exists. */
export async function findLinkedPayment(subscriptionId: number, cycle: number): Promise<LinkedPayment | undefined> {
  const [payment] = await linkedStatement([subscriptionId, cycle]);
  return payment;
}
