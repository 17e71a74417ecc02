import { query } from '../../adapters/postgres/statement';

/** A list as a file: its columns in order, of which `amounts` are in the minor unit of the row's `currency`. */
interface List {
  columns: readonly string[];
  amounts: readonly string[];
  /** Answers `id` besides the columns. `$1`: the merchant; `$2`: the id that the last part ended with, or null. */
  text: string;
}

const after = (id: string) => `($2::bigint IS NULL OR ${id} < $2)`;

/** Newest first, each read along the index of its ids. Whoever may see a list may have it as a file. */
export const lists = {
  customers: {
    columns: ['id', 'uuid', 'email', 'full_name', 'is_active', 'created_at'],
    amounts: [],
    text: `SELECT id, uuid, email, full_name, is_active, created_at FROM accounts
      WHERE merchant_id = $1 AND role = 'consumer' AND erased_at IS NULL AND ${after('id')} ORDER BY id DESC LIMIT $3`,
  },
  subscriptions: {
    columns: [
      ...['subscription_id', 'status', 'account_id', 'email', 'item_id', 'item_title', 'access_fee_id', 'currency'],
      ...['price', 'period_quantity', 'period', 'voucher_code', 'country_iso', 'created_at', 'trial_end'],
      ...['current_period_end', 'canceled_at', 'ended_at'],
    ],
    amounts: ['price'],
    text: `SELECT s.id, s.token AS subscription_id, s.state AS status, s.account_id, a.email, s.item_id,
        i.title AS item_title, s.access_fee_id, s.currency, s.price_minor AS price, s.period_quantity, s.period,
        s.voucher_code, s.country_iso, s.created_at, s.trial_end, s.current_period_end, s.canceled_at, s.ended_at
      FROM subscriptions s JOIN accounts a ON a.id = s.account_id JOIN items i ON i.id = s.item_id
      WHERE s.merchant_id = $1 AND ${after('s.id')} ORDER BY s.id DESC LIMIT $3`,
  },
  movements: {
    columns: [
      ...['id', 'kind', 'reason', 'subscription_id', 'account_id', 'item_id', 'access_fee_id', 'currency', 'amount'],
      ...['mrr', 'cohort', 'happened_at'],
    ],
    amounts: ['amount', 'mrr'],
    text: `SELECT m.id, m.kind, m.reason, coalesce(s.token, o.token) AS subscription_id,
        coalesce(s.account_id, o.account_id) AS account_id, m.item_id, m.access_fee_id, m.currency,
        m.amount_minor AS amount, m.mrr_minor AS mrr, to_char(m.cohort, 'YYYY-MM') AS cohort, m.happened_at
      FROM mrr_movements m LEFT JOIN subscriptions s ON s.id = m.subscription_id
        LEFT JOIN store_purchases o ON o.id = m.store_purchase_id
      WHERE m.merchant_id = $1 AND ${after('m.id')} ORDER BY m.id DESC LIMIT $3`,
  },
  transitions: {
    columns: [
      'id',
      'subscription_id',
      'account_id',
      'email',
      'item_id',
      'item_title',
      'from',
      'to',
      'reason',
      'created_at',
    ],
    amounts: [],
    text: `SELECT e.id, s.token AS subscription_id, s.account_id, a.email, s.item_id, i.title AS item_title,
        e.from_state AS from, e.to_state AS to, e.reason, e.created_at
      FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
      JOIN accounts a ON a.id = s.account_id JOIN items i ON i.id = s.item_id
      WHERE e.merchant_id = $1 AND ${after('e.id')} ORDER BY e.id DESC LIMIT $3`,
  },
  vouchers: {
    columns: [
      ...['id', 'name', 'code', 'discount', 'discount_period', 'discount_duration', 'usage_limit', 'usage_counter'],
      ...['starts_at', 'ends_at', 'created_at'],
    ],
    amounts: [],
    text: `SELECT id, name, code, discount, discount_period, discount_duration, usage_limit, usage_counter, starts_at,
        ends_at, created_at FROM vouchers WHERE merchant_id = $1 AND ${after('id')} ORDER BY id DESC LIMIT $3`,
  },
  items: {
    columns: ['id', 'title', 'item_type', 'is_active', 'external_id', 'created_at', 'updated_at'],
    amounts: [],
    text: `SELECT id, title, item_type, is_active, external_id, created_at, updated_at FROM items
      WHERE merchant_id = $1 AND ${after('id')} ORDER BY id DESC LIMIT $3`,
  },
  accesses: {
    columns: ['id', 'account_id', 'email', 'item_id', 'item_title', 'source', 'starts_at', 'expires_at', 'revoked_at'],
    amounts: [],
    text: `SELECT x.id, x.account_id, a.email, x.item_id, i.title AS item_title, x.source, x.starts_at, x.expires_at,
        x.revoked_at FROM accesses x JOIN accounts a ON a.id = x.account_id JOIN items i ON i.id = x.item_id
      WHERE x.merchant_id = $1 AND ${after('x.id')} ORDER BY x.id DESC LIMIT $3`,
  },
} as const satisfies Record<string, List>;

export type ListName = keyof typeof lists;

export type ListRow = Record<string, string | number | boolean | Date | null> & { id: number };

export function readPart(
  list: ListName,
  merchantId: number,
  afterId: number | null,
  limit: number,
): Promise<ListRow[]> {
  return query<ListRow>(lists[list].text, [merchantId, afterId, limit]);
}
