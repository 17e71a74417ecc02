import { statement } from '../../adapters/postgres/statement';

/** A first payment by direct debit on which the bank still decides, without access yet. */
export interface UndecidedDebit {
  /** The token of the subscription or the payment. */
  token: string;
  itemId: number;
  isGift: boolean;
}

const undecidedStatement = statement<UndecidedDebit>(
  'debits_undecided',
  `SELECT s.token, s.item_id AS "itemId", false AS "isGift"
   FROM subscriptions s JOIN charges c ON c.subscription_id = s.id AND c.status = 'processing'
   WHERE s.account_id = $1 AND s.state = 'incomplete'
   UNION ALL
   SELECT p.token, p.item_id, p.is_gift
   FROM payments p JOIN charges c ON c.payment_id = p.id AND c.status = 'processing'
   WHERE p.account_id = $1 AND p.state = 'incomplete'`,
);

const ofSubscriptionStatement = statement(
  'debit_of_subscription_undecided',
  `SELECT FROM subscriptions s JOIN charges c ON c.subscription_id = s.id AND c.status = 'processing'
   WHERE s.account_id = $1 AND s.token = $2 LIMIT 1`,
);

export const findUndecided = (accountId: number, token: string) => ofSubscriptionStatement([accountId, token]);

export const listUndecidedDebits = (accountId: number) => undecidedStatement([accountId]);
