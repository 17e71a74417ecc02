import { reportQuery } from '../../adapters/postgres/reports';
import { query } from '../../adapters/postgres/statement';
import { branchesOf, filterValues, type SubscriptionFilter } from '../../subscriptions/inStores.model';

export type ExportRow = Record<string, string | number | boolean | Date | null>;

const isAfter = (place: number) => `($${place}::bigint IS NULL OR id < $${place}) ORDER BY id DESC LIMIT $${place + 1}`;

/** The subscriptions of a list; with `tokens` only those among them. */
export interface ListFilter extends SubscriptionFilter {
  tokens: readonly string[] | undefined;
}

const isAmong = '($7::text[] IS NULL OR token = ANY ($7))';

/** Card subscriptions, newest first; `price` in the minor unit. */
export function selectCardSubscriptions(filter: ListFilter, limit: number, afterId: number | undefined) {
  const [ofCards] = branchesOf(filter);
  return reportQuery<ExportRow & { id: number; subscription_id: string; price: number; currency: string }>(
    `SELECT s.id, s.token AS subscription_id, s.state AS status, s.account_id, a.email, s.item_id,
       i.title AS item_title, s.access_fee_id, s.currency, s.price_minor AS price, s.period_quantity, s.period,
       s.voucher_code, s.country_iso, s.created_at, s.trial_end, s.current_period_end, s.canceled_at, s.ended_at
     FROM (SELECT id FROM (${ofCards}) wanted WHERE ${isAmong} AND ${isAfter(5)}) wanted JOIN subscriptions s USING (id)
     JOIN accounts a ON a.id = s.account_id JOIN items i ON i.id = s.item_id ORDER BY s.id DESC`,
    [...filterValues(filter), afterId ?? null, limit, filter.tokens ?? null],
  );
}

export interface ListedInStore {
  id: number;
  token: string;
  email: string;
  countryIso: string;
}

/** Subscriptions of app stores with their owners, newest first. */
export function selectStoreSubscriptions(filter: ListFilter, limit: number, afterId: number | undefined) {
  const [, ofStores] = branchesOf(filter);
  return reportQuery<ListedInStore>(
    `SELECT p.id, p.token, a.email, coalesce(p.country_iso, '') AS "countryIso"
     FROM (SELECT id FROM (${ofStores}) wanted WHERE ${isAmong} AND ${isAfter(5)}) wanted JOIN store_purchases p USING (id)
     JOIN accounts a ON a.id = p.account_id ORDER BY p.id DESC`,
    [...filterValues(filter), afterId ?? null, limit, filter.tokens ?? null],
  );
}

interface Holder {
  merchantId: number;
  /** Only the rows of this account, read by an index of their own. */
  accountId: number | undefined;
}

export function selectAccesses({ merchantId, accountId }: Holder, limit: number, afterId: number | undefined) {
  const owner = accountId === undefined ? 'merchant_id = $1' : 'merchant_id = $1 AND account_id = $4';
  return query<ExportRow & { id: number }>(
    `SELECT x.id, x.account_id, a.email, x.item_id, i.title AS item_title, x.source, x.starts_at, x.expires_at,
       x.revoked_at
     FROM (SELECT * FROM accesses WHERE ${owner} AND ${isAfter(2)}) x
     JOIN accounts a ON a.id = x.account_id JOIN items i ON i.id = x.item_id ORDER BY x.id DESC`,
    [merchantId, afterId ?? null, limit, ...(accountId === undefined ? [] : [accountId])],
  );
}
