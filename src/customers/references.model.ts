import { statement } from '../adapters/postgres/statement';

export interface ReferenceRow {
  kind: 'subscription' | 'payment' | 'charge' | 'refund';
  token: string;
  accountId: number;
  itemTitle: string;
  /** The subscription that it belongs to. Null for a payment that is made once. */
  subscriptionToken: string | null;
  /** The paid charge that it belongs to. Null before anything was paid. */
  trxToken: string | null;
}

const purchases = `LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id`;

/** One branch for each kind of token. Each token has an index. */
const branches = [
  `SELECT 'subscription' AS kind, s.token, s.account_id, s.item_id, s.token AS subscription_token, NULL AS trx_token
   FROM subscriptions s WHERE s.merchant_id = $1 AND s.token = $2`,
  `SELECT 'payment', p.token, p.account_id, p.item_id, NULL,
     (SELECT c.trx_token FROM charges c WHERE c.payment_id = p.id AND c.status = 'paid')
   FROM payments p WHERE p.merchant_id = $1 AND p.token = $2`,
  `SELECT 'charge', c.trx_token, c.account_id, coalesce(s.item_id, p.item_id), s.token,
     CASE WHEN c.status = 'paid' THEN c.trx_token END
   FROM charges c ${purchases} WHERE c.merchant_id = $1 AND c.trx_token = $2`,
  `SELECT 'refund', r.token, r.account_id, coalesce(s.item_id, p.item_id), s.token,
     CASE WHEN c.status = 'paid' THEN c.trx_token END
   FROM refunds r JOIN charges c ON c.id = r.charge_id ${purchases}
   WHERE r.merchant_id = $1 AND r.token = $2`,
];

const byTokenStatement = statement<ReferenceRow>(
  'references_by_token',
  `SELECT found.kind, found.token, found.account_id AS "accountId", coalesce(i.title, '') AS "itemTitle",
     found.subscription_token AS "subscriptionToken", found.trx_token AS "trxToken"
   FROM (${branches.join(' UNION ALL ')}) found LEFT JOIN items i ON i.id = found.item_id`,
);

export function findByToken(merchantId: number, token: string): Promise<ReferenceRow[]> {
  return byTokenStatement([merchantId, token]);
}
