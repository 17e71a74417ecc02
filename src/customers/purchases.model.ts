import { firstOf, query, statement } from '../adapters/postgres/statement';
import { totalOf } from '../adapters/postgres/totals';

export interface PurchaseRow {
  id: number;
  itemId: number;
  itemTitle: string;
  merchantId: number;
  accountId: number;
  email: string;
  type: 'purchased' | 'granted' | 'revoked' | 'expired';
  accessFeeId: number | null;
  feeDescription: string | null;
  feeType: string | null;
  paidMinor: number | null;
  /** The tax was added to the amount. */
  addsTax: boolean;
  currency: string | null;
  isTrial: boolean | null;
  paymentMethod: string | null;
  /** The app store that sold it. */
  store: string | null;
  storeEnvironment: 'production' | 'sandbox' | null;
  cardBrand: string | null;
  cardLastFour: string | null;
  parentToken: string | null;
  voucherCode: string;
  startsAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  createdAt: Date;
}

/** The purchases of one consumer or of all customers of a merchant; each has an index. */
export interface PurchaseFilter {
  owner: { accountId: number; merchantId: number } | { merchantId: number };
  status: 'active' | 'inactive' | 'all';
  type: PurchaseRow['type'] | undefined;
  present: Date;
}

const revoked = 'e.revoked_at IS NOT NULL';
const expired = 'e.revoked_at IS NULL AND e.expires_at <= $2';
const active = 'e.revoked_at IS NULL AND e.expires_at > $2';
const bought = `e.source IN ('subscription', 'payment', 'external')`;

const typeText = `CASE WHEN ${revoked} THEN 'revoked' WHEN ${expired} THEN 'expired' WHEN ${bought} THEN 'purchased'
  ELSE 'granted' END`;

/** The conditions repeat those of the indexes: one for revoked access, one for the ends of other access. */
const typeTexts = {
  revoked,
  expired,
  purchased: `${active} AND ${bought}`,
  granted: `${active} AND NOT ${bought}`,
};

const statusTexts = { all: 'true', active, inactive: `(${revoked} OR ${expired})` };

const ownerTexts = {
  account: 'e.account_id = $1 AND e.merchant_id = $3',
  merchant: 'e.merchant_id = $1 AND $3::int IS NULL',
};

/** Selects the ids of the page first, so that skipped rows are not joined. */
const pageText = (where: string) => `
  SELECT e.id, e.item_id AS "itemId", i.title AS "itemTitle", e.merchant_id AS "merchantId", e.account_id AS "accountId",
    a.email, ${typeText} AS type, f.id AS "accessFeeId", f.description AS "feeDescription",
    t.name AS "feeType", coalesce(s.price_minor, p.price_minor, CASE WHEN x.is_trial THEN 0 ELSE coalesce(x.amount_minor,
      CASE WHEN x.id IS NOT NULL THEN f.amount_minor END) END) AS "paidMinor",
    coalesce(s.added_tax, p.added_tax) IS NOT NULL AS "addsTax",
    coalesce(s.currency, p.currency, x.currency, CASE WHEN x.id IS NOT NULL THEN f.currency END) AS currency,
    coalesce(s.state = 'trialing', x.is_trial) AS "isTrial",
    CASE c.method WHEN 'card' THEN 'Card' WHEN 'link' THEN 'Link' WHEN 'google_pay' THEN 'Google Pay'
      WHEN 'apple_pay' THEN 'Apple Pay' WHEN 'direct_debit' THEN 'Direct Debit' WHEN 'ideal' THEN 'Ideal'
      WHEN 'bancontact' THEN 'Bancontact' WHEN 'paypal' THEN 'PayPal' END AS "paymentMethod", x.store,
    e.store_environment AS "storeEnvironment", c.brand AS "cardBrand", c.last_four AS "cardLastFour",
    coalesce(s.token, p.token, x.token) AS "parentToken",
    coalesce(s.voucher_code, p.voucher_code, '') AS "voucherCode", e.starts_at AS "startsAt", e.expires_at AS "expiresAt",
    e.revoked_at AS "revokedAt", e.created_at AS "createdAt"
  FROM (SELECT e.id FROM accesses e WHERE ${where} AND ($6::int IS NULL OR e.id < $6)
    ORDER BY e.id DESC LIMIT $4 OFFSET $5) AS page
  JOIN accesses e USING (id) JOIN items i ON i.id = e.item_id JOIN accounts a ON a.id = e.account_id
  LEFT JOIN subscriptions s ON e.source = 'subscription' AND s.id = e.source_id
  LEFT JOIN payments p ON e.source = 'payment' AND p.id = e.source_id
  LEFT JOIN cards c ON c.id = ${firstOf('s.card_id', 'p.card_id')}
  LEFT JOIN store_purchases x ON e.source = 'external' AND x.access_source_id = e.source_id
  LEFT JOIN access_fees f ON f.id = ${firstOf('s.access_fee_id', 'x.access_fee_id', 'e.access_fee_id')}
  LEFT JOIN access_types t ON t.id = f.access_type_id
  ORDER BY e.id DESC`;

/** How a list of purchases is read. */
interface Reader {
  page: (values: unknown[]) => Promise<PurchaseRow[]>;
  count: (values: unknown[]) => Promise<{ total: number }[]>;
}

const readers = new Map<string, Reader>();

/**
 * The statements of an account's list are planned once: joining the tables takes little time, but planning the join takes
 * several milliseconds. The best plan for a merchant's list depends on the values.
 */
function readerOf(
  kind: keyof typeof ownerTexts,
  status: PurchaseFilter['status'],
  type: PurchaseFilter['type'],
): Reader {
  const name = `purchases_${kind}_${status}_${type ?? 'any'}`;
  const where = `${ownerTexts[kind]} AND ${statusTexts[status]} AND ${type ? typeTexts[type] : 'true'}`;
  const countText = `SELECT count(*)::int AS total FROM accesses e WHERE ${where} AND $2::timestamptz IS NOT NULL`;
  const isPlannedOnce = kind === 'account';
  const known = readers.get(name);
  const reader = known ?? {
    page: isPlannedOnce ? statement<PurchaseRow>(name, pageText(where)) : (values) => query(pageText(where), values),
    count: isPlannedOnce
      ? statement<{ total: number }>(`${name}_count`, countText)
      : (values) => query(countText, values),
  };
  if (!known) readers.set(name, reader);
  return reader;
}

export function findPurchasesById(merchantId: number, ids: number[], present: Date): Promise<PurchaseRow[]> {
  const where = 'e.merchant_id = $1 AND $3::int IS NULL AND e.id = ANY($7::int[])';
  return query<PurchaseRow>(pageText(where), [merchantId, present, null, ids.length, 0, null, ids]);
}

/** A page of entitlements, newest first, and the total of all pages. */
export async function findPurchases(
  { owner, status, type, present }: PurchaseFilter,
  { limit, offset, afterId }: { limit: number; offset: number; afterId: number | undefined },
): Promise<{ rows: PurchaseRow[]; total: number }> {
  const kind = 'accountId' in owner ? 'account' : 'merchant';
  const { page, count } = readerOf(kind, status, type);
  const ids = 'accountId' in owner ? [owner.accountId, owner.merchantId] : [owner.merchantId, null];
  const values = [ids[0], present, ids[1]];
  const rows = await page([...values, limit, offset, afterId ?? null]);
  const key = `purchases ${JSON.stringify([...ids, status, type])}`;
  const total = await totalOf(
    key,
    { limit, offset, found: rows.length, isAfterRow: afterId !== undefined },
    async () => (await count(values))[0]?.total ?? 0,
  );
  return { rows, total };
}
