import { query, statement } from '../adapters/postgres/statement';
import { totalOf } from '../adapters/postgres/totals';
import { type Period } from '../items/accessTypes.model';
import { shownText, type ShownSubscription } from './subscriptions.model';

/** A subscription that was bought in an app store, in the state that the store reported last. */
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
  period: Period;
  description: string;
  /** The price of a period, or the fee's price if the store did not report one. */
  priceMinor: number;
  chargedMinor: number;
  currency: string;
  /** The customer's balance in this currency: positive for credit, negative for a debt. */
  balanceMinor: number;
  periodStartsAt: Date | null;
  expiresAt: Date | null;
  graceEndsAt: Date | null;
  resumesAt: Date | null;
  revokedAt: Date | null;
  /** When renewal was turned off. */
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
    coalesce(p.currency, f.currency) AS currency, coalesce(b.balance_minor, 0) AS "balanceMinor",
    coalesce(p.period_starts_at, p.purchased_at) AS "periodStartsAt",
    p.expires_at AS "expiresAt", p.grace_ends_at AS "graceEndsAt", p.resumes_at AS "resumesAt",
    p.revoked_at AS "revokedAt", p.created_at AS "createdAt", p.updated_at AS "updatedAt",
    CASE WHEN NOT p.auto_renew THEN (SELECT max(e.as_of) FROM store_purchase_events e
      WHERE e.store_purchase_id = p.id AND e.what = 'auto_renew_off') END AS "canceledAt"
  FROM store_purchases p JOIN items i ON i.id = p.item_id JOIN access_fees f ON f.id = p.access_fee_id
  JOIN access_types t ON t.id = f.access_type_id
  LEFT JOIN customer_balances b ON b.account_id = p.account_id AND b.currency = coalesce(p.currency, f.currency)`;

export function findStoreSubscriptions(tokens: readonly string[]): Promise<StoreSubscription[]> {
  return query<StoreSubscription>(`${rowText} WHERE p.token = ANY ($1)`, [tokens]);
}

/** Without `accountId`, searches all customers of the merchant. */
export async function findStoreSubscription(merchantId: number, accountId: number | undefined, token: string) {
  const text = `${rowText} WHERE p.token = $1 AND p.kind = 'subscription' AND p.merchant_id = $2
    AND ($3::int IS NULL OR p.account_id = $3)`;
  const [row] = await query<StoreSubscription>(text, [token, merchantId, accountId ?? null]);
  return row;
}

export interface SubscriptionFilter {
  merchantId: number;
  accountId: number | undefined;
  itemId: number | undefined;
  status: string | undefined;
  /** Leaves out purchases whose first payment never came. */
  isWithoutUnpaid: boolean;
}

/** A card subscription, or the position of a store subscription, in a list. */
export type Listed = Position & (({ isOfStore: false } & ShownSubscription) | { isOfStore: true });

interface Position {
  token: string;
  /** The time of the order with microseconds, as stored. */
  exactAt: string;
  /** Unique among card and store subscriptions. */
  place: number;
}

/** The state of a store subscription, in the vocabulary of card subscriptions. */
const statusText = `CASE WHEN p.state = 'pending' THEN 'incomplete' WHEN p.state = 'grace' THEN 'past_due'
  WHEN p.state = 'active' AND p.is_trial THEN 'trialing' ELSE p.state END`;

/** The times by which lists are sorted, of card and store subscriptions. Each has an index. */
const times = {
  created: { ofCards: 's.created_at', ofStores: 'p.created_at' },
  period_end: {
    ofCards: `coalesce(s.current_period_end, '-infinity')`,
    ofStores: `coalesce(p.expires_at, '-infinity')`,
  },
} as const;

/** The order of a list. By default the newest subscription comes first. */
export interface ListOrder {
  by: keyof typeof times;
  isDescending: boolean;
}

/** With the literal state, which the indexes of these lists contain. */
const isNotUnpaid = `s.state <> 'incomplete_expired'`;

type Scope = Pick<SubscriptionFilter, 'accountId' | 'isWithoutUnpaid'>;

/**
 * `$1` to `$4` are the values of the filter. The views of `290-fence.sql`, because behind a policy PostgreSQL does not use the
 * index of a place, which is an expression.
 */
export const branchesOf = (
  { accountId, isWithoutUnpaid }: Scope,
  by: keyof typeof times = 'created',
): [ofCards: string, ofStores: string] => {
  const account = accountId === undefined ? '$2::int IS NULL' : 'account_id = $2';
  const wanted = `merchant_id = $1 AND ${account} AND ($3::int IS NULL OR item_id = $3)`;
  return [
    `SELECT false AS "isOfStore", s.id, s.token, ${times[by].ofCards} AS sorted_at, 2 * s.id AS place
     FROM unfenced.subscriptions s WHERE ${wanted} AND ($4::text IS NULL OR s.state = $4)
       AND ${isWithoutUnpaid ? isNotUnpaid : 'true'}`,
    `SELECT true AS "isOfStore", p.id, p.token, ${times[by].ofStores} AS sorted_at, 2 * p.id + 1 AS place
     FROM unfenced.store_purchases p
     WHERE ${wanted} AND p.kind = 'subscription' AND ($4::text IS NULL OR ${statusText} = $4)`,
  ];
};

export function filterValues({ merchantId, accountId, itemId, status }: SubscriptionFilter): unknown[] {
  return [merchantId, accountId ?? null, itemId ?? null, status ?? null];
}

// Every branch has the order of the page. With another order, pages would repeat some rows and omit others.
/** `condition`: what the rows must be besides. */
function positionsText(scope: Scope, { by, isDescending }: ListOrder, condition = 'true'): string {
  const [direction, follows] = isDescending ? ['DESC', '<'] : ['ASC', '>'];
  const order = `ORDER BY sorted_at ${direction}, place ${direction}`;
  const rows = branchesOf(scope, by).map(
    (branch) => `(SELECT * FROM (${branch}) kind
      WHERE ($7::timestamptz IS NULL OR (sorted_at, place) ${follows} ($7, $8::bigint)) AND ${condition} ${order} LIMIT $5::int + $6::int)`,
  );
  return `SELECT id, "isOfStore", token, sorted_at, sorted_at::text AS "exactAt", place
    FROM (${rows.join(' UNION ALL ')}) both_kinds ${order} LIMIT $5 OFFSET $6`;
}

function pageText(scope: Scope, order: ListOrder): string {
  const direction = order.isDescending ? 'DESC' : 'ASC';
  return `SELECT shown.*, listed."isOfStore", listed.token, listed."exactAt", listed.place
   FROM (${positionsText(scope, order)}) listed
   LEFT JOIN LATERAL (${shownText} WHERE s.id = listed.id AND NOT listed."isOfStore") shown ON true
   ORDER BY listed.sorted_at ${direction}, listed.place ${direction}`;
}

const countText = (scope: Scope) =>
  `SELECT count(*)::int AS total FROM (${branchesOf(scope).join(' UNION ALL ')}) both_kinds`;

/**
 * A merchant's list is planned for each execution, because the best plan depends on the values. The plan of an
 * account's list does not, so its usual order is prepared once.
 */
const oneAccount = { accountId: 0, isWithoutUnpaid: false };
const ofAccount = {
  newest: statement<Listed>('subscriptions_of_account', pageText(oneAccount, { by: 'created', isDescending: true })),
  count: statement<{ total: number }>('subscriptions_of_account_count', countText(oneAccount)),
};

/** Whether a filter is the usual one of an account. */
const isOfAccount = ({ accountId, isWithoutUnpaid }: Scope) => accountId !== undefined && !isWithoutUnpaid;

interface Range {
  limit: number;
  offset: number;
  after: { at: string; id: number } | undefined;
}

const rangeValues = ({ limit, offset, after }: Range) => [limit, offset, after?.at ?? null, after?.id ?? null];

function readPage(filter: SubscriptionFilter, order: ListOrder, range: Range): Promise<Listed[]> {
  const values = [...filterValues(filter), ...rangeValues(range)];
  const isUsual = isOfAccount(filter) && order.by === 'created' && order.isDescending;
  return isUsual ? ofAccount.newest(values) : query<Listed>(pageText(filter, order), values);
}

/** Lists card and store subscriptions on one page, after the position `after`. */
export async function listBoth(
  filter: SubscriptionFilter,
  range: Range,
  order: ListOrder,
): Promise<{ rows: Listed[]; total: number }> {
  const values = filterValues(filter);
  const rows = await readPage(filter, order, range);
  const key = `subscriptions ${JSON.stringify([...values, filter.isWithoutUnpaid])}`;
  const page = { ...range, found: rows.length, isAfterRow: range.after !== undefined };
  const count = () =>
    isOfAccount(filter) ? ofAccount.count(values) : query<{ total: number }>(countText(filter), values);
  const total = await totalOf(key, page, async () => (await count())[0]?.total ?? 0);
  return { rows, total };
}

/** `tokens`: only the subscriptions among them. */
export type PositionFilter = SubscriptionFilter & { tokens: readonly string[] | undefined };

/** The positions of the same rows, for an export. */
export function listPositions(filter: PositionFilter, range: Range, order: ListOrder): Promise<Position[]> {
  const text = positionsText(filter, order, '($9::text[] IS NULL OR token = ANY ($9))');
  return query<Position>(text, [...filterValues(filter), ...rangeValues(range), filter.tokens ?? null]);
}

/** Whether the account has a store subscription to the item that will renew or has not ended yet. */
export async function hasOpenInStore(accountId: number, itemId: number): Promise<boolean> {
  const text = `SELECT EXISTS (SELECT FROM store_purchases WHERE account_id = $1 AND item_id = $2
    AND kind = 'subscription' AND is_open) AS "isThere"`;
  const [found] = await query<{ isThere: boolean }>(text, [accountId, itemId]);
  return found?.isThere ?? false;
}
