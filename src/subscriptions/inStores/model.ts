import { query } from '../../adapters/postgres/statement';
import { totalOf } from '../../adapters/postgres/totals';

/** A subscription that was bought in an app store, as its store told of it last. */
export interface StoreSubscription {
  id: number;
  token: string;
  store: 'apple' | 'google-play' | 'amazon' | 'roku';
  state: 'pending' | 'active' | 'grace' | 'on_hold' | 'paused' | 'expired' | 'revoked';
  isTrial: boolean;
  autoRenew: boolean;
  merchantId: number;
  accountId: number;
  itemId: number;
  itemTitle: string;
  itemType: string;
  accessFeeId: number;
  accessTypeId: number;
  quantity: number;
  period: string;
  description: string;
  /** Of a period; where the store does not tell, the fee's. */
  priceMinor: number;
  chargedMinor: number;
  currency: string;
  periodStartsAt: Date | null;
  expiresAt: Date | null;
  graceEndsAt: Date | null;
  resumesAt: Date | null;
  revokedAt: Date | null;
  /** When its renewal was turned off. */
  canceledAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const rowText = `
  SELECT p.access_source_id AS id, p.token, p.store, p.state, p.is_trial AS "isTrial", p.auto_renew AS "autoRenew",
    p.merchant_id AS "merchantId", p.account_id AS "accountId", p.item_id AS "itemId", i.title AS "itemTitle",
    i.item_type AS "itemType", p.access_fee_id AS "accessFeeId", t.id AS "accessTypeId", t.quantity, t.period,
    f.description, CASE WHEN p.is_trial THEN f.amount_minor ELSE coalesce(p.amount_minor, f.amount_minor) END
      AS "priceMinor", coalesce(p.amount_minor, CASE WHEN p.is_trial THEN 0 ELSE f.amount_minor END) AS "chargedMinor",
    coalesce(p.currency, f.currency) AS currency, coalesce(p.period_starts_at, p.purchased_at) AS "periodStartsAt",
    p.expires_at AS "expiresAt", p.grace_ends_at AS "graceEndsAt", p.resumes_at AS "resumesAt",
    p.revoked_at AS "revokedAt", p.created_at AS "createdAt", p.updated_at AS "updatedAt",
    CASE WHEN NOT p.auto_renew THEN (SELECT max(e.as_of) FROM store_purchase_events e
      WHERE e.store_purchase_id = p.id AND e.what = 'auto_renew_off') END AS "canceledAt"
  FROM store_purchases p JOIN items i ON i.id = p.item_id JOIN access_fees f ON f.id = p.access_fee_id
  JOIN access_types t ON t.id = f.access_type_id`;

export function findStoreSubscriptions(tokens: readonly string[]): Promise<StoreSubscription[]> {
  return query<StoreSubscription>(`${rowText} WHERE p.token = ANY ($1)`, [tokens]);
}

/** Of one account where it is named. */
export async function findStoreSubscription(merchantId: number, accountId: number | undefined, token: string) {
  const text = `${rowText} WHERE p.token = $1 AND p.kind = 'subscription' AND p.merchant_id = $2
    AND ($3::int IS NULL OR p.account_id = $3)`;
  const [row] = await query<StoreSubscription>(text, [token, merchantId, accountId ?? null]);
  return row;
}

/** Whose subscriptions, and which. */
export interface SubscriptionFilter {
  merchantId: number;
  accountId: number | undefined;
  itemId: number | undefined;
  status: string | undefined;
}

/** Where a subscription of either kind stands on a page. */
export interface Listed {
  isOfStore: boolean;
  token: string;
}

/** The state of a store's subscription in the words of ours. */
const statusText = `CASE WHEN p.state = 'pending' THEN 'incomplete' WHEN p.state = 'grace' THEN 'past_due'
  WHEN p.state = 'active' AND p.is_trial THEN 'trialing' ELSE p.state END`;

const wanted = `merchant_id = $1 AND ($2::int IS NULL OR account_id = $2) AND ($3::int IS NULL OR item_id = $3)`;

/** Whose and which: `$1` to `$4` are the values of a filter. */
export const cardBranch = `SELECT false AS "isOfStore", s.id, s.token, s.created_at FROM subscriptions s
   WHERE ${wanted} AND ($4::text IS NULL OR s.state = $4)`;
export const storeBranch = `SELECT true AS "isOfStore", p.id, p.token, p.created_at FROM store_purchases p
   WHERE ${wanted} AND p.kind = 'subscription' AND ($4::text IS NULL OR ${statusText} = $4)`;
const branches = [cardBranch, storeBranch];

export function filterValues({ merchantId, accountId, itemId, status }: SubscriptionFilter): unknown[] {
  return [merchantId, accountId ?? null, itemId ?? null, status ?? null];
}

/** Those paid by card and those of the stores on one page, newest first. */
export async function listBoth(
  filter: SubscriptionFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Listed[]; total: number }> {
  const values = filterValues(filter);
  const newest = branches.map((branch) => `(${branch} ORDER BY id DESC LIMIT $5::int + $6::int)`).join(' UNION ALL ');
  const page = `SELECT "isOfStore", token FROM (${newest}) both_kinds
    ORDER BY created_at DESC, "isOfStore", id DESC LIMIT $5 OFFSET $6`;
  const count = `SELECT count(*)::int AS total FROM (${branches.join(' UNION ALL ')}) both_kinds`;
  const rows = await query<Listed>(page, [...values, limit, offset]);
  const key = `subscriptions ${JSON.stringify(values)}`;
  const total = await totalOf(key, { limit, offset, found: rows.length }, async () => {
    const [counted] = await query<{ total: number }>(count, values);
    return counted?.total ?? 0;
  });
  return { rows, total };
}

/** Whether the account has a subscription to the item in a store that renews or still runs. */
export async function hasOpenInStore(accountId: number, itemId: number): Promise<boolean> {
  const text = `SELECT EXISTS (SELECT FROM store_purchases WHERE account_id = $1 AND item_id = $2
    AND kind = 'subscription' AND is_open) AS "isThere"`;
  const [found] = await query<{ isThere: boolean }>(text, [accountId, itemId]);
  return found?.isThere ?? false;
}
