/** The rows of the histories: which rows a filter has, and their page. Each is joined with its details afterwards. */

export type MovementType = 'charge' | 'gift' | 'recurrent' | 'refund' | 'free-trial' | 'external';

/** Without an account, the history of all customers of a merchant. `to` is exclusive. */
export interface MovementFilter {
  merchantId: number;
  accountId: number | undefined;
  /** `external`: payments in app stores. */
  type: MovementType | undefined;
  /** Whether the list omits payments and refunds of app stores. */
  isWithoutStores: boolean;
  from: Date | undefined;
  to: Date | undefined;
  itemId: number | undefined;
  /** The smallest and the largest amount by currency. */
  minimumMinor: Record<string, number> | undefined;
  maximumMinor: Record<string, number> | undefined;
}

/** The part of a filter that decides which indexes are used. */
export interface Shape {
  isOfAccount: boolean;
  isOfItem: boolean;
  isWithoutStores: boolean;
}

/** `$1` to `$8`. */
export function valuesOf(filter: MovementFilter): unknown[] {
  const { merchantId, type, from, to, accountId, itemId, minimumMinor, maximumMinor } = filter;
  const bounds = [minimumMinor, maximumMinor].map((bound) => bound && JSON.stringify(bound));
  return [merchantId, type, from, to, accountId, itemId, ...bounds].map((value) => value ?? null);
}

/** Whether a row of `table` belongs to the merchant, the customer and the item. */
const isOwn = (table: string, { isOfAccount, isOfItem }: Shape): string =>
  [
    `${table}.merchant_id = $1`,
    isOfAccount ? `${table}.account_id = $5` : '$5::int IS NULL',
    isOfItem ? `${table}.item_id = $6` : '$6::int IS NULL',
  ].join(' AND ');

// One branch for each table, which its own index serves: by merchant, account or item, in the order of the time.
const branchesOf = (shape: Shape): string[] =>
  shape.isWithoutStores ? cardBranches(shape) : [...cardBranches(shape), ...storeBranches(shape)];

/** The amount of a trial is 0, which is at least the smallest amount only if that is 0 in every currency. */
const isTrialInRange = `($7::jsonb IS NULL OR ($7::jsonb -> 'EUR')::bigint = 0)`;

const cardBranches = (shape: Shape): string[] => [
  `SELECT 2 * c.id AS id, CASE WHEN c.payment_id IS NULL THEN 'recurrent' WHEN p.is_gift THEN 'gift' ELSE 'charge' END
     AS type, c.settled_at AS at, c.account_id, c.id AS charge_id, NULL::int AS refund_id, NULL::int AS trial_id,
     NULL::int AS store_payment_id, c.amount_minor, c.currency
   FROM charges c LEFT JOIN payments p ON p.id = c.payment_id WHERE ${isOwn('c', shape)} AND c.status = 'paid'`,
  `SELECT 2 * r.id + 1 AS id, 'refund' AS type, r.settled_at AS at, r.account_id, r.charge_id, r.id AS refund_id,
     NULL::int AS trial_id, NULL::int AS store_payment_id, r.amount_minor, r.currency
   FROM refunds r WHERE ${isOwn('r', shape)} AND r.state = 'refunded'`,
  `SELECT -3 * s.id - 2 AS id, 'free-trial' AS type, s.trial_start AS at, s.account_id, NULL::int AS charge_id,
     NULL::int AS refund_id, s.id AS trial_id, NULL::int AS store_payment_id,
     0::bigint AS amount_minor, s.currency
   FROM subscriptions s WHERE ${isOwn('s', shape)} AND s.trial_start IS NOT NULL AND ${isTrialInRange}`,
];

/** The store's amount, or the fee's price if the store did not report one. */
const storeMinor = `coalesce(x.amount_minor, CASE WHEN x.is_trial THEN 0 ELSE f.amount_minor END)`;
const storeColumns = `x.account_id, NULL::int AS charge_id, NULL::int AS refund_id, NULL::int AS trial_id,
  x.id AS store_payment_id, ${storeMinor} AS amount_minor, coalesce(x.currency, f.currency) AS currency`;

const storeBranches = (shape: Shape): string[] => [
  `SELECT -3 * x.id AS id, CASE WHEN x.is_trial THEN 'free-trial' ELSE 'external' END AS type, x.paid_at AS at,
     ${storeColumns}
   FROM store_payments x JOIN access_fees f ON f.id = x.access_fee_id WHERE ${isOwn('x', shape)}`,
  `SELECT -3 * x.id - 1 AS id, 'refund' AS type, x.refunded_at AS at, ${storeColumns}
   FROM store_payments x JOIN access_fees f ON f.id = x.access_fee_id
   WHERE ${isOwn('x', shape)} AND x.refunded_at IS NOT NULL`,
];

const isWanted = `($2::text IS NULL OR type = $2) AND ($3::timestamptz IS NULL OR at >= $3)
  AND ($4::timestamptz IS NULL OR at < $4)
  AND ($7::jsonb IS NULL OR amount_minor >= ($7::jsonb -> currency)::bigint)
  AND ($8::jsonb IS NULL OR amount_minor <= ($8::jsonb -> currency)::bigint)`;

export type FirstRow = 'newest' | 'oldest';

/** A page: at most `$9` rows, from the row `$10` on or after the row at (`$11`, `$12`). */
export function pageText(shape: Shape, first: FirstRow): string {
  const [follows, direction] = first === 'newest' ? ['<', 'DESC'] : ['>', 'ASC'];
  const order = `at ${direction}, id ${direction}`;
  const isAfter = `($11::timestamptz IS NULL OR (at, id) ${follows} ($11, $12::bigint))`;
  const rows = branchesOf(shape).map(
    (branch) => `(SELECT * FROM (${branch}) m WHERE ${isWanted} AND ${isAfter}
      ORDER BY ${order} LIMIT $9::int + $10::int)`,
  );
  return `${rows.join(' UNION ALL ')} ORDER BY ${order} LIMIT $9 OFFSET $10`;
}

const allOf = (shape: Shape) => `(${branchesOf(shape).join(' UNION ALL ')}) m WHERE ${isWanted}`;

export const totalsText = (shape: Shape): string => `
  SELECT count(*)::int AS total, count(*) FILTER (WHERE type NOT IN ('refund', 'free-trial'))::int AS purchases,
    count(DISTINCT account_id) FILTER (WHERE amount_minor > 0 AND type <> 'refund')::int AS payers
  FROM ${allOf(shape)}`;

export const sumsText = (shape: Shape): string => `
  SELECT currency, coalesce(sum(amount_minor) FILTER (WHERE type <> 'refund'), 0)::bigint AS "grossMinor",
    coalesce(sum(amount_minor) FILTER (WHERE type = 'refund'), 0)::bigint AS "refundedMinor"
  FROM ${allOf(shape)} GROUP BY currency ORDER BY currency`;
