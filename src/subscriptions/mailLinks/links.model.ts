import { statement } from '../../adapters/postgres/statement';
import { type StoredMethod } from '../cards.model';

/** What the page of a link shows about a subscription, and whose it is. */
export interface LinkedSubscription {
  merchantUuid: string;
  accountUuid: string;
  description: string;
  /** What pays now; null without a card or another method. */
  method: StoredMethod | null;
  /** The last four digits of the card or the bank account; empty for a method without a number. */
  cardDigits: string;
}

const linkedStatement = statement<LinkedSubscription>(
  'subscription_of_mail_link',
  `SELECT m.uuid AS "merchantUuid", a.uuid AS "accountUuid", f.description,
     c.method, coalesce(c.last_four, '') AS "cardDigits"
   FROM subscriptions s
     JOIN accounts a ON a.id = s.account_id AND a.erasing_at IS NULL
     JOIN accounts m ON m.id = s.merchant_id
     JOIN access_fees f ON f.id = s.access_fee_id
     LEFT JOIN cards c ON c.id = s.card_id
   WHERE s.id = $1`,
);

/** Undefined if the subscription or its account no longer exists. */
export async function findLinkedSubscription(subscriptionId: number): Promise<LinkedSubscription | undefined> {
  const [linked] = await linkedStatement([subscriptionId]);
  return linked;
}
