import { firstOf, query, statement } from '../adapters/postgres/statement';
import { largeTotals } from '../adapters/postgres/totals';
import { type StoredMethod } from './cards.model';
import {
  type FirstRow,
  pageText as rowsText,
  type MovementFilter,
  type MovementType,
  type Shape,
  shapeOf,
  sumsText,
  totalsText,
  valuesOf,
} from './movementRows.model';
import { type Device } from './purchases.model';

/** A row of the histories: a payment, a refund, or a trial that began without a payment. */
export interface Movement {
  id: number;
  type: MovementType;
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
  /** Empty if no tax was decided. */
  taxTreatment: string;
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

const shownText = `SELECT m.id, m.type, m.at, m.at::text AS "exactAt", a.merchant_id AS "merchantId", a.merchant_uuid AS "merchantUuid", a.id AS "accountId",
    a.email, coalesce(r.token, c.trx_token, s.token || '-trial',
      x.transaction_id || CASE WHEN m.type = 'refund' THEN '-refund' ELSE '' END) AS "trxToken",
    coalesce(s.token, p.token, bought.token) AS "transactionToken", m.amount_minor AS "amountMinor", m.currency,
    CASE WHEN m.refund_id IS NULL THEN coalesce(c.balance_minor, 0) ELSE 0 END AS "balanceMinor",
    CASE WHEN m.refund_id IS NULL THEN (SELECT coalesce(sum(o.amount_minor), 0)::bigint FROM refunds o
      WHERE o.charge_id = m.charge_id AND o.state IN ('open', 'pending')) ELSE 0 END AS "pendingRefundMinor",
    CASE WHEN m.refund_id IS NULL THEN coalesce(t.tax_minor, 0) ELSE coalesce(rt.tax_minor, 0) END AS "taxMinor",
    coalesce(t.rate_milli, 0) AS "taxRateMilli", coalesce(t.country, '') AS "taxCountry",
    coalesce(t.treatment, '') AS "taxTreatment",
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

export interface CurrencySum {
  currency: string;
  grossMinor: number;
  refundedMinor: number;
}

const pageText = (shape: Shape, first: FirstRow) =>
  `WITH page AS (${rowsText(shape, first)}) ${shownText} ${joinedDetails}
   ORDER BY m.at ${first === 'newest' ? 'DESC, m.id DESC' : 'ASC, m.id ASC'}`;

function statementsOf(shape: Shape) {
  const { isOfAccount, isWithoutStores } = shape;
  const name = `${isOfAccount ? 'account' : 'merchant'}${isWithoutStores ? '_without_stores' : ''}`;
  return {
    newest: statement<Movement>(`movements_of_${name}`, pageText(shape, 'newest')),
    oldest: statement<Movement>(`oldest_movements_of_${name}`, pageText(shape, 'oldest')),
    totals: statement<MovementTotals>(`movement_totals_of_${name}`, totalsText(shape)),
    sums: statement<CurrencySum>(`movement_sums_of_${name}`, sumsText(shape)),
  };
}

type Statements = ReturnType<typeof statementsOf>;

const prepared = [true, false].flatMap((isOfAccount) =>
  [true, false].map((isWithoutStores) => {
    const bounds = { hasFrom: false, hasTo: false, hasMinimum: false, hasMaximum: false };
    const shape = { isOfAccount, isWithoutStores, isOfItem: false, type: undefined, currencies: [], ...bounds };
    return { ...shape, statements: statementsOf(shape) };
  }),
);

/** The statements for a filter by item, amount, type or time are planned for their values, and are not prepared. */
function plannedFor(shape: Shape): Statements {
  return {
    newest: (values) => query<Movement>(pageText(shape, 'newest'), values),
    oldest: (values) => query<Movement>(pageText(shape, 'oldest'), values),
    totals: (values) => query<MovementTotals>(totalsText(shape), values),
    sums: (values) => query<CurrencySum>(sumsText(shape), values),
  };
}

function reading(filter: MovementFilter): Statements & { values: unknown[] } {
  const shape = shapeOf(filter);
  const { isOfAccount, isOfItem, isWithoutStores, type, hasFrom, hasTo, hasMinimum, hasMaximum } = shape;
  const known = prepared.find((one) => one.isOfAccount === isOfAccount && one.isWithoutStores === isWithoutStores);
  const isBounded = hasFrom || hasTo || hasMinimum || hasMaximum;
  const isUsual = !isOfItem && type === undefined && !isBounded;
  const statements = isUsual ? known?.statements : undefined;
  return { ...(statements ?? plannedFor(shape)), values: valuesOf(filter) };
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

const remembered = largeTotals<MovementTotals>();

/** Large totals can be half a minute old, as in other lists. */
export function countMovements(filter: MovementFilter): Promise<MovementTotals> {
  const { totals, values } = reading(filter);
  return remembered(JSON.stringify([values, filter.isWithoutStores]), async () => {
    const [found] = await totals(values);
    return found ?? { total: 0, purchases: 0, payers: 0 };
  });
}

/** The totals of payments and refunds, by currency. */
export function sumMovements(filter: MovementFilter): Promise<CurrencySum[]> {
  const { sums, values } = reading(filter);
  return sums(values);
}
