import { firstOf, statement } from '../adapters/postgres/statement';
import { type StoredMethod } from './cards.model';
import { type Device } from './purchases.model';

/** A row of the histories: a payment, a refund, or a trial that began without a payment. */
export interface Movement {
  id: number;
  type: 'charge' | 'gift' | 'recurrent' | 'refund' | 'free-trial' | 'external';
  at: Date;
  /** With microseconds, as stored. */
  exactAt: string;
  merchantId: number;
  merchantUuid: string;
  accountId: number;
  email: string;
  trxToken: string;
  transactionToken: string;
  amountMinor: number;
  currency: string;
  /** The tax within the amount. 0 if none was decided. */
  taxMinor: number;
  /** Thousandths of a percent. */
  taxRateMilli: number;
  /** Empty if no tax was decided. */
  taxCountry: string;
  /** The part of a charge that the balance paid. Negative: the debt that was collected with the charge. */
  balanceMinor: number;
  /** The refunds of a charge that are not complete yet. */
  pendingRefundMinor: number;
  /** The store did not report the amount, so the fee's price is shown. */
  isAmountAssumed: boolean;
  /** When the reconciliation recorded the charge after a restore; null for every other row. */
  recordedAt: Date | null;
  itemId: number;
  itemType: string;
  itemTitle: string;
  feeDescription: string;
  /** The card provider or app store that was paid. */
  provider: string;
  isOfStore: boolean;
  method: StoredMethod;
  lastFour: string;
  accessId: number | null;
  accessEndsAt: Date | null;
  voucherCode: string;
  discountPercent: number | null;
  /** The fixed discount of a voucher, instead of a percentage. */
  discountMinor: number | null;
  receiverEmail: string | null;
  /** Set if the payment bought a gift. */
  giftId: number | null;
  sealedGiftCode: Buffer | null;
  ipAddress: string;
  countryIso: string;
  device: Device | null;
  referrer: string;
}

/** Without an account, the history of all customers of a merchant. `to` is exclusive. */
export interface MovementFilter {
  merchantId: number;
  accountId: number | undefined;
  /** `external`: payments in app stores. */
  type: Movement['type'] | undefined;
  /** Whether the list omits payments and refunds of app stores. */
  isWithoutStores: boolean;
  from: Date | undefined;
  to: Date | undefined;
}

type Scope = 'merchant_id' | 'account_id';

/** The store's amount, or the fee's price if the store did not report one. */
const storeMinor = `coalesce(x.amount_minor, CASE WHEN x.is_trial THEN 0 ELSE f.amount_minor END)`;
const storeColumns = `x.account_id, NULL::int AS charge_id, NULL::int AS refund_id, NULL::int AS trial_id,
  x.id AS store_payment_id, ${storeMinor} AS amount_minor, coalesce(x.currency, f.currency) AS currency`;

// One branch for each table, which its own index serves. Only the rows of the page are joined with their details.
const storeBranches = (scope: Scope) => [
  `SELECT -3 * x.id AS id, CASE WHEN x.is_trial THEN 'free-trial' ELSE 'external' END AS type, x.paid_at AS at,
     ${storeColumns}
   FROM store_payments x JOIN access_fees f ON f.id = x.access_fee_id WHERE x.${scope} = $1`,
  `SELECT -3 * x.id - 1 AS id, 'refund' AS type, x.refunded_at AS at, ${storeColumns}
   FROM store_payments x JOIN access_fees f ON f.id = x.access_fee_id
   WHERE x.${scope} = $1 AND x.refunded_at IS NOT NULL`,
];

const cardBranches = (scope: Scope) => [
  `SELECT 2 * c.id AS id, CASE WHEN c.payment_id IS NULL THEN 'recurrent' WHEN p.is_gift THEN 'gift' ELSE 'charge' END
     AS type, c.settled_at AS at, c.account_id, c.id AS charge_id, NULL::int AS refund_id, NULL::int AS trial_id,
     NULL::int AS store_payment_id, c.amount_minor, c.currency
   FROM charges c LEFT JOIN payments p ON p.id = c.payment_id WHERE c.${scope} = $1 AND c.status = 'paid'`,
  `SELECT 2 * r.id + 1 AS id, 'refund' AS type, r.settled_at AS at, r.account_id, r.charge_id, r.id AS refund_id,
     NULL::int AS trial_id, NULL::int AS store_payment_id, r.amount_minor, r.currency
   FROM refunds r WHERE r.${scope} = $1 AND r.state = 'refunded'`,
  `SELECT -3 * s.id - 2 AS id, 'free-trial' AS type, s.trial_start AS at, s.account_id, NULL::int AS charge_id,
     NULL::int AS refund_id, s.id AS trial_id, NULL::int AS store_payment_id,
     0::bigint AS amount_minor, s.currency
   FROM subscriptions s WHERE s.${scope} = $1 AND s.trial_start IS NOT NULL`,
];

const isWanted = `($2::text IS NULL OR type = $2) AND ($3::timestamptz IS NULL OR at >= $3)
  AND ($4::timestamptz IS NULL OR at < $4)`;

const orders = {
  newest: { follows: '<', direction: 'DESC' },
  oldest: { follows: '>', direction: 'ASC' },
} as const;
type FirstRow = keyof typeof orders;

const branchesOf = (scope: Scope, isWithoutStores: boolean) =>
  isWithoutStores ? cardBranches(scope) : [...cardBranches(scope), ...storeBranches(scope)];

function pageText(branches: string[], { follows, direction }: (typeof orders)[FirstRow]): string {
  const order = `at ${direction}, id ${direction}`;
  const isAfter = `($7::timestamptz IS NULL OR (at, id) ${follows} ($7, $8::bigint))`;
  const rows = branches.map(
    (branch) => `(SELECT * FROM (${branch}) m WHERE ${isWanted} AND ${isAfter}
      ORDER BY ${order} LIMIT $5::int + $6::int)`,
  );
  return `WITH page AS (${rows.join(' UNION ALL ')} ORDER BY ${order} LIMIT $5 OFFSET $6)
    ${shownText} ${joinedDetails} ORDER BY m.at ${direction}, m.id ${direction}`;
}

const shownText = `SELECT m.id, m.type, m.at, m.at::text AS "exactAt", a.merchant_id AS "merchantId", a.merchant_uuid AS "merchantUuid", a.id AS "accountId",
    a.email, coalesce(r.token, c.trx_token, s.token || '-trial',
      x.transaction_id || CASE WHEN m.type = 'refund' THEN '-refund' ELSE '' END) AS "trxToken",
    coalesce(s.token, p.token, bought.token) AS "transactionToken", m.amount_minor AS "amountMinor", m.currency,
    CASE WHEN m.refund_id IS NULL THEN coalesce(c.balance_minor, 0) ELSE 0 END AS "balanceMinor",
    CASE WHEN m.refund_id IS NULL THEN (SELECT coalesce(sum(o.amount_minor), 0)::bigint FROM refunds o
      WHERE o.charge_id = m.charge_id AND o.state IN ('open', 'pending')) ELSE 0 END AS "pendingRefundMinor",
    CASE WHEN m.refund_id IS NULL THEN coalesce(t.tax_minor, 0) ELSE coalesce(rt.tax_minor, 0) END AS "taxMinor",
    coalesce(t.rate_milli, 0) AS "taxRateMilli", coalesce(t.country, '') AS "taxCountry",
    CASE WHEN m.refund_id IS NULL THEN c.recorded_at END AS "recordedAt",
    coalesce(x.is_amount_assumed, false) AS "isAmountAssumed", i.id AS "itemId",
    i.item_type AS "itemType", i.title AS "itemTitle", f.description AS "feeDescription",
    coalesce(split_part(cards.provider, ':', 1), bought.store, '') AS provider,
    x.id IS NOT NULL AS "isOfStore",
    coalesce(cards.method, 'card') AS method, coalesce(cards.last_four, '') AS "lastFour", access.id AS "accessId",
    access.expires_at AS "accessEndsAt", coalesce(s.voucher_code, p.voucher_code, '') AS "voucherCode",
    coalesce(s.discount_percent, p.discount_percent) AS "discountPercent",
    coalesce(s.discount_minor, p.discount_minor) AS "discountMinor", p.receiver_email AS "receiverEmail",
    g.id AS "giftId", g.sealed_code AS "sealedGiftCode",
    coalesce(s.ip_address, p.ip_address, '') AS "ipAddress",
    coalesce(s.country_iso, p.country_iso, bought.country_iso, '') AS "countryIso",
    coalesce(s.device, p.device) AS device,
    coalesce(s.referrer, p.referrer, '') AS referrer
  FROM page m`;

/** The details of a movement `m`, from the tables that belong to its type. */
const joinedDetails = `
  JOIN accounts a ON a.id = m.account_id
  LEFT JOIN charges c ON c.id = m.charge_id
  LEFT JOIN refunds r ON r.id = m.refund_id
  LEFT JOIN charge_taxes t ON t.charge_id = m.charge_id
  LEFT JOIN refund_taxes rt ON rt.refund_id = m.refund_id
  LEFT JOIN subscriptions s ON s.id = ${firstOf('m.trial_id', 'c.subscription_id')}
  LEFT JOIN payments p ON p.id = c.payment_id
  LEFT JOIN gift_vouchers g ON g.payment_token = p.token
  LEFT JOIN store_payments x ON x.id = m.store_payment_id
  LEFT JOIN store_purchases bought ON bought.id = x.store_purchase_id
  JOIN items i ON i.id = ${firstOf('s.item_id', 'p.item_id', 'x.item_id')}
  JOIN access_fees f ON f.id = ${firstOf('c.access_fee_id', 's.access_fee_id', 'x.access_fee_id')}
  LEFT JOIN cards ON cards.id = ${firstOf('c.card_id', 's.card_id')}
  LEFT JOIN accesses access ON access.source = CASE WHEN x.id IS NOT NULL THEN 'external'
      WHEN s.id IS NULL THEN 'payment' ELSE 'subscription' END
    AND access.source_id = ${firstOf('s.id', 'p.id', 'bought.access_source_id')}`;

export interface MovementTotals {
  total: number;
  purchases: number;
  payers: number;
}

const totalsText = (branches: string[]) => `
  SELECT count(*)::int AS total, count(*) FILTER (WHERE type NOT IN ('refund', 'free-trial'))::int AS purchases,
    count(DISTINCT account_id) FILTER (WHERE amount_minor > 0 AND type <> 'refund')::int AS payers
  FROM (${branches.join(' UNION ALL ')}) m WHERE ${isWanted}`;

const sumsText = (branches: string[]) => `
  SELECT currency, coalesce(sum(amount_minor) FILTER (WHERE type <> 'refund'), 0)::bigint AS "grossMinor",
    coalesce(sum(amount_minor) FILTER (WHERE type = 'refund'), 0)::bigint AS "refundedMinor"
  FROM (${branches.join(' UNION ALL ')}) m WHERE ${isWanted} GROUP BY currency ORDER BY currency`;

export interface CurrencySum {
  currency: string;
  grossMinor: number;
  refundedMinor: number;
}

function statementsOf(scope: Scope, isWithoutStores: boolean) {
  const branches = branchesOf(scope, isWithoutStores);
  const name = `${scope}${isWithoutStores ? '_without_stores' : ''}`;
  return {
    newest: statement<Movement>(`movements_by_${name}`, pageText(branches, orders.newest)),
    oldest: statement<Movement>(`oldest_movements_by_${name}`, pageText(branches, orders.oldest)),
    totals: statement<MovementTotals>(`movement_totals_by_${name}`, totalsText(branches)),
    sums: statement<CurrencySum>(`movement_sums_by_${name}`, sumsText(branches)),
  };
}

const statements = {
  merchant_id: { all: statementsOf('merchant_id', false), withoutStores: statementsOf('merchant_id', true) },
  account_id: { all: statementsOf('account_id', false), withoutStores: statementsOf('account_id', true) },
};

function reading({ merchantId, accountId, type, isWithoutStores, from, to }: MovementFilter) {
  const scope = accountId === undefined ? 'merchant_id' : 'account_id';
  const values = [accountId ?? merchantId, type ?? null, from ?? null, to ?? null];
  return { ...statements[scope][isWithoutStores ? 'withoutStores' : 'all'], values };
}

/** The position after which a history continues: the time and id of a row. */
export interface HistoryCursor {
  at: string;
  id: number;
}

interface Range {
  limit: number;
  offset?: number;
  after?: HistoryCursor | undefined;
  /** The row that comes first. */
  first?: FirstRow;
}

/** Newest first, unless the oldest is requested first. */
export function listMovements(
  filter: MovementFilter,
  { limit, offset = 0, after, first = 'newest' }: Range,
): Promise<Movement[]> {
  const { [first]: page, values } = reading(filter);
  return page([...values, limit, offset, after?.at ?? null, after?.id ?? null]);
}

export async function countMovements(filter: MovementFilter): Promise<MovementTotals> {
  const { totals, values } = reading(filter);
  const [found] = await totals(values);
  return found ?? { total: 0, purchases: 0, payers: 0 };
}

/** The totals of payments and refunds, by currency. */
export function sumMovements(filter: MovementFilter): Promise<CurrencySum[]> {
  const { sums, values } = reading(filter);
  return sums(values);
}
