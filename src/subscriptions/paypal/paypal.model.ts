import { statement } from '../../adapters/postgres/statement';

/** The names that a payer reads at PayPal. */
export interface OfferNames {
  business: string;
  itemName: string;
}

const namesStatement = statement<OfferNames>(
  'paypal_names',
  `SELECT m.full_name AS business, coalesce(nullif(f.description, ''), i.title) AS "itemName"
   FROM access_fees f JOIN items i ON i.id = f.item_id JOIN accounts m ON m.id = i.merchant_id
   WHERE f.id = $1 AND i.merchant_id = $2`,
);

export async function getOfferNames(feeId: number, merchantId: number): Promise<OfferNames> {
  const [names] = await namesStatement([feeId, merchantId]);
  if (!names) throw new Error(`there is no fee ${feeId}`);
  return names;
}

/** A purchase that begins on a page of PayPal, with its first charge. */
export interface BegunPayment {
  kind: 'subscription' | 'payment';
  state: string;
  merchantUuid: string;
  returnUrl: string | null;
  /** Null until the charge is begun. */
  status: 'open' | 'requires_action' | 'processing' | 'paid' | 'declined' | null;
  redirectUrl: string | null;
}

const begunFrom = (kind: BegunPayment['kind'], ofCharge: string) => `
  SELECT '${kind}' AS kind, p.state, m.uuid AS "merchantUuid", p.return_url AS "returnUrl", c.status,
    c.redirect_url AS "redirectUrl"
  FROM ${kind}s p JOIN accounts a ON a.id = p.account_id AND a.erasing_at IS NULL JOIN accounts m ON m.id = p.merchant_id
    LEFT JOIN charges c ON c.${kind}_id = p.id ${ofCharge}
  WHERE p.token = $1`;

const begunStatement = statement<BegunPayment>(
  'paypal_begun',
  `${begunFrom('payment', '')} UNION ALL ${begunFrom('subscription', 'AND c.cycle = 1 AND c.attempt = 1')}`,
);

/** Undefined if the purchase or its account no longer exists. */
export async function findBegunPayment(token: string): Promise<BegunPayment | undefined> {
  const [begun] = await begunStatement([token]);
  return begun;
}
