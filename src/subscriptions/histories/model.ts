import { statement } from '../../adapters/postgres/statement';

/** Money that moved, or a trial that began without any: a row of the histories, with all that its wire forms tell. */
export interface Movement {
  id: number;
  type: 'charge' | 'gift' | 'recurrent' | 'refund' | 'free-trial';
  at: Date;
  merchantId: number;
  merchantUuid: string;
  accountId: number;
  email: string;
  trxToken: string;
  transactionToken: string;
  amountMinor: number;
  currency: string;
  itemId: number;
  itemType: string;
  itemTitle: string;
  feeDescription: string;
  provider: string;
  lastFour: string;
  accessId: number | null;
  accessEndsAt: Date | null;
  voucherCode: string;
  discountPercent: number | null;
  receiverEmail: string | null;
  ipAddress: string;
  referrer: string;
}

/** Whose history: of one account, or of all of a merchant. `to` is not in it any more. */
export interface MovementFilter {
  merchantId: number;
  accountId: number | undefined;
  /** `external`: what app stores took. */
  type: Movement['type'] | 'external' | undefined;
  from: Date | undefined;
  to: Date | undefined;
}

type Scope = 'merchant_id' | 'account_id';

// One branch a table, each read along its own index: only the rows of the page are joined with what they tell.
const branches = (scope: Scope) => [
  `SELECT 2 * c.id AS id, CASE WHEN c.payment_id IS NULL THEN 'recurrent' WHEN p.is_gift THEN 'gift' ELSE 'charge' END
     AS type, c.settled_at AS at, c.account_id, c.id AS charge_id, NULL::int AS refund_id, NULL::int AS trial_id,
     c.amount_minor, c.currency
   FROM charges c LEFT JOIN payments p ON p.id = c.payment_id WHERE c.${scope} = $1 AND c.status = 'paid'`,
  `SELECT 2 * r.id + 1 AS id, 'refund' AS type, r.settled_at AS at, r.account_id, r.charge_id, r.id AS refund_id,
     NULL::int AS trial_id, r.amount_minor, r.currency
   FROM refunds r WHERE r.${scope} = $1 AND r.state = 'refunded'`,
  `SELECT -s.id AS id, 'free-trial' AS type, s.trial_start AS at, s.account_id, NULL::int AS charge_id,
     NULL::int AS refund_id, s.id AS trial_id, 0::bigint AS amount_minor, s.currency
   FROM subscriptions s WHERE s.${scope} = $1 AND s.trial_start IS NOT NULL`,
];

const isWanted = `($2::text IS NULL OR type = $2) AND ($3::timestamptz IS NULL OR at >= $3)
  AND ($4::timestamptz IS NULL OR at < $4)`;

const pageText = (scope: Scope) => `
  WITH page AS (
    ${branches(scope)
      .map(
        (branch) => `(SELECT * FROM (${branch}) m WHERE ${isWanted} ORDER BY at DESC, id DESC LIMIT $5::int + $6::int)`,
      )
      .join(' UNION ALL ')}
    ORDER BY at DESC, id DESC LIMIT $5 OFFSET $6
  )
  SELECT m.id, m.type, m.at, a.merchant_id AS "merchantId", a.merchant_uuid AS "merchantUuid", a.id AS "accountId",
    a.email, coalesce(r.token, c.trx_token, s.token || '-trial') AS "trxToken",
    coalesce(s.token, p.token) AS "transactionToken", m.amount_minor AS "amountMinor", m.currency, i.id AS "itemId",
    i.item_type AS "itemType", i.title AS "itemTitle", f.description AS "feeDescription",
    coalesce(cards.provider, '') AS provider, coalesce(cards.last_four, '') AS "lastFour", access.id AS "accessId",
    access.expires_at AS "accessEndsAt", coalesce(s.voucher_code, p.voucher_code) AS "voucherCode",
    coalesce(s.discount_percent, p.discount_percent) AS "discountPercent", p.receiver_email AS "receiverEmail",
    coalesce(s.ip_address, p.ip_address) AS "ipAddress", coalesce(s.referrer, p.referrer) AS referrer
  FROM page m
  JOIN accounts a ON a.id = m.account_id
  LEFT JOIN charges c ON c.id = m.charge_id
  LEFT JOIN refunds r ON r.id = m.refund_id
  LEFT JOIN subscriptions s ON s.id = coalesce(m.trial_id, c.subscription_id)
  LEFT JOIN payments p ON p.id = c.payment_id
  JOIN items i ON i.id = coalesce(s.item_id, p.item_id)
  JOIN access_fees f ON f.id = coalesce(s.access_fee_id, p.access_fee_id)
  LEFT JOIN cards ON cards.id = coalesce(c.card_id, s.card_id)
  LEFT JOIN accesses access ON access.source = CASE WHEN s.id IS NULL THEN 'payment' ELSE 'subscription' END
    AND access.source_id = coalesce(s.id, p.id)
  ORDER BY m.at DESC, m.id DESC`;

export interface MovementTotals {
  total: number;
  purchases: number;
  payers: number;
}

const totalsText = (scope: Scope) => `
  SELECT count(*)::int AS total, count(*) FILTER (WHERE type NOT IN ('refund', 'free-trial'))::int AS purchases,
    count(DISTINCT account_id) FILTER (WHERE amount_minor > 0 AND type <> 'refund')::int AS payers
  FROM (${branches(scope).join(' UNION ALL ')}) m WHERE ${isWanted}`;

const sumsText = (scope: Scope) => `
  SELECT currency, coalesce(sum(amount_minor) FILTER (WHERE type <> 'refund'), 0)::bigint AS "grossMinor",
    coalesce(sum(amount_minor) FILTER (WHERE type = 'refund'), 0)::bigint AS "refundedMinor"
  FROM (${branches(scope).join(' UNION ALL ')}) m WHERE ${isWanted} GROUP BY currency ORDER BY currency`;

export interface CurrencySum {
  currency: string;
  grossMinor: number;
  refundedMinor: number;
}

const statements = {
  merchant_id: {
    page: statement<Movement>('movements_of_merchant', pageText('merchant_id')),
    totals: statement<MovementTotals>('movement_totals_of_merchant', totalsText('merchant_id')),
    sums: statement<CurrencySum>('movement_sums_of_merchant', sumsText('merchant_id')),
  },
  account_id: {
    page: statement<Movement>('movements_of_account', pageText('account_id')),
    totals: statement<MovementTotals>('movement_totals_of_account', totalsText('account_id')),
    sums: statement<CurrencySum>('movement_sums_of_account', sumsText('account_id')),
  },
};

function reading({ merchantId, accountId, type, from, to }: MovementFilter) {
  const scope = accountId === undefined ? 'merchant_id' : 'account_id';
  const values = [accountId ?? merchantId, type ?? null, from ?? null, to ?? null];
  return { ...statements[scope], values };
}

/** Newest first. */
export function listMovements(filter: MovementFilter, limit: number, offset: number): Promise<Movement[]> {
  const { page, values } = reading(filter);
  return page([...values, limit, offset]);
}

export async function countMovements(filter: MovementFilter): Promise<MovementTotals> {
  const { totals, values } = reading(filter);
  const [found] = await totals(values);
  return found ?? { total: 0, purchases: 0, payers: 0 };
}

/** What was taken and given back, by currency. */
export function sumMovements(filter: MovementFilter): Promise<CurrencySum[]> {
  const { sums, values } = reading(filter);
  return sums(values);
}
