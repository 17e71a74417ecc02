import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type StoredMethod } from '../cards.model';

/** The fields of a subscription's events that are not in its row. */
export interface EventFacts {
  accountUuid: string;
  merchantUuid: string;
  email: string;
  description: string;
  previewTitle: string;
  /** Null without a card. */
  method: StoredMethod | null;
}

const factsStatement = statement<EventFacts>(
  'subscription_event_facts',
  `SELECT a.uuid AS "accountUuid", a.merchant_uuid AS "merchantUuid", a.email, f.description,
     coalesce(m.value, i.title) AS "previewTitle", c.method
   FROM subscriptions s
   JOIN accounts a ON a.id = s.account_id
   JOIN access_fees f ON f.id = s.access_fee_id
   JOIN items i ON i.id = s.item_id
   LEFT JOIN cards c ON c.id = s.card_id
   LEFT JOIN item_metadata m ON m.item_id = i.id AND m.name = 'preview_title'
   WHERE s.id = $1`,
);

/** One prepared statement: with Sequelize's `include`, the payer's event is 2 ms later. */
export async function getEventFacts(subscriptionId: number, inTransaction: Transaction): Promise<EventFacts> {
  const [facts] = await factsStatement([subscriptionId], inTransaction);
  if (!facts) throw new Error(`there is no subscription ${subscriptionId}`);
  return facts;
}

const obstacleStatement = statement<{ obstacle: string | null }>(
  'subscription_obstacle',
  `SELECT CASE WHEN a.erasing_at IS NOT NULL THEN 'the account is erased' WHEN EXISTS (
       SELECT FROM refunds r JOIN charges c ON c.id = r.charge_id
       WHERE c.subscription_id = s.id AND r.revoke_access AND r.state = 'refunded'
     ) THEN 'its money was given back' WHEN EXISTS (
       SELECT FROM subscriptions o WHERE o.account_id = s.account_id AND o.item_id = s.item_id
         AND o.state IN ('incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused')
     ) THEN 'another subscription of the item is live' END AS obstacle
   FROM subscriptions s JOIN accounts a ON a.id = s.account_id WHERE s.id = $1`,
);

/** The reason why a revoked subscription cannot be restored. Undefined if it can. */
export async function findObstacle(subscriptionId: number, inTransaction: Transaction): Promise<string | undefined> {
  const [row] = await obstacleStatement([subscriptionId], inTransaction);
  return row?.obstacle ?? undefined;
}
