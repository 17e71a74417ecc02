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
  /** The codes of the currencies with each number of decimals. */
  currencies: readonly (readonly string[])[];
  /** The smallest and the largest amount, for each group of currencies. */
  minimumMinor: readonly number[] | undefined;
  maximumMinor: readonly number[] | undefined;
}

/** The part of a filter that decides which tables and indexes are read. */
export interface Shape extends Pick<MovementFilter, 'isWithoutStores' | 'type' | 'currencies'> {
  isOfAccount: boolean;
  isOfItem: boolean;
  hasFrom: boolean;
  hasTo: boolean;
  hasMinimum: boolean;
  hasMaximum: boolean;
}

export const shapeOf = (filter: MovementFilter): Shape => ({
  isOfAccount: filter.accountId !== undefined,
  isOfItem: filter.itemId !== undefined,
  isWithoutStores: filter.isWithoutStores,
  type: filter.type,
  currencies: filter.currencies,
  hasFrom: filter.from !== undefined,
  hasTo: filter.to !== undefined,
  hasMinimum: filter.minimumMinor !== undefined,
  hasMaximum: filter.maximumMinor !== undefined,
});

/** `$1` to `$8`. */
export function valuesOf(filter: MovementFilter): unknown[] {
  const { merchantId, type, from, to, accountId, itemId, minimumMinor, maximumMinor } = filter;
  return [merchantId, type, from, to, accountId, itemId, minimumMinor, maximumMinor].map((value) => value ?? null);
}

/** Whether a row of `table` belongs to the merchant, the customer and the item. */
const isOwn = (table: string, { isOfAccount, isOfItem }: Shape): string =>
  [
    `${table}.merchant_id = $1`,
    isOfAccount ? `${table}.account_id = $5` : '$5::int IS NULL',
    isOfItem ? `${table}.item_id = $6` : '$6::int IS NULL',
  ].join(' AND ');

/** Rows of one table, which its own index serves: by merchant, account or item, in the order of the time. */
interface Branch {
  types: readonly MovementType[];
  text: string;
}

/** The branches of the tables that have rows of the type. If no table has, any branch serves, because its rows have other types. */
function branchesOf(shape: Shape): string[] {
  const cards = cardBranches(shape);
  const all = shape.isWithoutStores ? cards : [...cards, ...storeBranches(shape)];
  const { type } = shape;
  const found = type === undefined ? all : all.filter(({ types }) => types.includes(type));
  return (found.length > 0 ? found : all.slice(1, 2)).map(({ text }) => text);
}

/** The amount of a trial is 0, which is at least the smallest amount only if that is 0 in every currency. */
const isTrialInRange = `($7::bigint[] IS NULL OR ($7::bigint[])[1] = 0)`;

const cardBranches = (shape: Shape): Branch[] => [
  {
    types: ['recurrent', 'gift', 'charge'],
    text: `SELECT 2 * c.id AS id, CASE WHEN c.payment_id IS NULL THEN 'recurrent' WHEN p.is_gift THEN 'gift' ELSE 'charge' END
     AS type, c.settled_at AS at, c.account_id, c.id AS charge_id, NULL::int AS refund_id, NULL::int AS trial_id,
     NULL::int AS store_payment_id, c.amount_minor, c.currency, true AS is_sale, false AS is_refund
   FROM charges c LEFT JOIN payments p ON p.id = c.payment_id WHERE ${isOwn('c', shape)} AND c.status = 'paid'`,
  },
  {
    types: ['refund'],
    text: `SELECT 2 * r.id + 1 AS id, 'refund' AS type, r.settled_at AS at, r.account_id, r.charge_id, r.id AS refund_id,
     NULL::int AS trial_id, NULL::int AS store_payment_id, r.amount_minor, r.currency, false AS is_sale, true AS is_refund
   FROM refunds r WHERE ${isOwn('r', shape)} AND r.state = 'refunded'`,
  },
  {
    types: ['free-trial'],
    text: `SELECT -3 * s.id - 2 AS id, 'free-trial' AS type, s.trial_start AS at, s.account_id, NULL::int AS charge_id,
     NULL::int AS refund_id, s.id AS trial_id, NULL::int AS store_payment_id,
     0::bigint AS amount_minor, s.currency, false AS is_sale, false AS is_refund
   FROM subscriptions s WHERE ${isOwn('s', shape)} AND s.trial_start IS NOT NULL AND ${isTrialInRange}`,
  },
];

/** The store's amount, or the fee's price if the store did not report one. */
const storeMinor = `coalesce(x.amount_minor, CASE WHEN x.is_trial THEN 0 ELSE f.amount_minor END)`;
const storeColumns = `x.account_id, NULL::int AS charge_id, NULL::int AS refund_id, NULL::int AS trial_id,
  x.id AS store_payment_id, ${storeMinor} AS amount_minor, coalesce(x.currency, f.currency) AS currency`;

const storeBranches = (shape: Shape): Branch[] => [
  {
    types: ['free-trial', 'external'],
    text: `SELECT -3 * x.id AS id, CASE WHEN x.is_trial THEN 'free-trial' ELSE 'external' END AS type, x.paid_at AS at,
     ${storeColumns}, NOT x.is_trial AS is_sale, false AS is_refund
   FROM store_payments x JOIN access_fees f ON f.id = x.access_fee_id WHERE ${isOwn('x', shape)}`,
  },
  {
    types: ['refund'],
    text: `SELECT -3 * x.id - 1 AS id, 'refund' AS type, x.refunded_at AS at, ${storeColumns}, false AS is_sale, true AS is_refund
   FROM store_payments x JOIN access_fees f ON f.id = x.access_fee_id
   WHERE ${isOwn('x', shape)} AND x.refunded_at IS NOT NULL`,
  },
];

/**
 * The amount is compared before the currency, because that is faster for a million rows. The planner takes this form of the
 * condition for one that many rows fulfil, so it reads the amounts in an index and not in the table.
 */
function isInRange({ currencies, hasMinimum, hasMaximum }: Shape): string {
  const ofCurrencies = currencies.map((codes, index) =>
    [
      hasMinimum ? `amount_minor >= ($7::bigint[])[${index + 1}]` : '$7::bigint[] IS NULL',
      hasMaximum ? `amount_minor <= ($8::bigint[])[${index + 1}]` : '$8::bigint[] IS NULL',
      `currency IN (${codes.map((code) => `'${code}'`).join(', ')})`,
    ].join(' AND '),
  );
  return `(${ofCurrencies.join(' OR ')})::int > 0`;
}

const isWanted = (shape: Shape): string => {
  const { type, hasFrom, hasTo, hasMinimum, hasMaximum } = shape;
  return [
    type === undefined ? '$2::text IS NULL' : 'type = $2',
    hasFrom ? 'at >= $3' : '$3::timestamptz IS NULL',
    hasTo ? 'at < $4' : '$4::timestamptz IS NULL',
    hasMinimum || hasMaximum ? isInRange(shape) : '$7::bigint[] IS NULL AND $8::bigint[] IS NULL',
  ].join(' AND ');
};

export type FirstRow = 'newest' | 'oldest';

/** A page: at most `$9` rows, from the row `$10` on or after the row at (`$11`, `$12`). */
export function pageText(shape: Shape, first: FirstRow): string {
  const [follows, direction] = first === 'newest' ? ['<', 'DESC'] : ['>', 'ASC'];
  const order = `at ${direction}, id ${direction}`;
  const isAfter = `($11::timestamptz IS NULL OR (at, id) ${follows} ($11, $12::bigint))`;
  const rows = branchesOf(shape).map(
    (branch) => `(SELECT * FROM (${branch}) m WHERE ${isWanted(shape)} AND ${isAfter}
      ORDER BY ${order} LIMIT $9::int + $10::int)`,
  );
  return `SELECT * FROM (${rows.join(' UNION ALL ')}) r ORDER BY ${order} LIMIT $9 OFFSET $10`;
}

/** Each table is read in the order of its customers, so that no row is sorted to count the payers. */
export function totalsText(shape: Shape): string {
  const ofCustomers = branchesOf(shape).map(
    (branch) => `(SELECT account_id, amount_minor, is_sale, is_refund FROM (${branch}) m
      WHERE ${isWanted(shape)} ORDER BY account_id)`,
  );
  return `SELECT count(*)::int AS total, count(*) FILTER (WHERE is_sale)::int AS purchases,
      count(DISTINCT account_id) FILTER (WHERE amount_minor > 0 AND NOT is_refund)::int AS payers
    FROM (${ofCustomers.join(' UNION ALL ')}) m`;
}

// The type needs another table, so the totals of all types do not read it.
const allOf = (shape: Shape) => `(${branchesOf(shape).join(' UNION ALL ')}) m WHERE ${isWanted(shape)}`;

export const sumsText = (shape: Shape): string => `
  SELECT currency, coalesce(sum(amount_minor) FILTER (WHERE NOT is_refund), 0)::bigint AS "grossMinor",
    coalesce(sum(amount_minor) FILTER (WHERE is_refund), 0)::bigint AS "refundedMinor"
  FROM ${allOf(shape)} GROUP BY currency ORDER BY currency`;
