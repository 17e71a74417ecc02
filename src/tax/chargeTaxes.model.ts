import { type Transaction } from '../adapters/postgres/connection';
import { firstOf, statement } from '../adapters/postgres/statement';
import { type TaxProfile } from './taxSettings.model';

/** What decides the tax of a charge, or of an amount that a customer is about to pay. */
export interface TaxCaseRow {
  sellerCountry: string;
  registrations: { country: string; region: string | null; scheme: 'domestic' | 'oss' | 'ioss' | 'exempt' }[];
  billing: string | null;
  card: string | null;
  network: string | null;
  region: string | null;
  taxNumber: string | null;
  /** When VIES confirmed the number; null if it has not. */
  confirmedAt: Date | null;
  /** The consultation number of VIES; empty without one, and null without billing details. */
  confirmation: string | null;
  kind: 'standard' | 'ebook' | 'press';
  at: Date;
  /** Whether the merchant's account at the card provider calculates the tax. */
  isProvided: boolean;
  /** Of the billing address; null without one. */
  postalCode: string | null;
  city: string | null;
  addressLine: string | null;
}

const seller = `p.country AS "sellerCountry", p.calculation = 'provider' AS "isProvided",
  (SELECT coalesce(json_agg(json_build_object('country', r.country, 'region', r.region, 'scheme', r.scheme)), '[]')
    FROM tax_registrations r WHERE r.merchant_id = p.merchant_id) AS registrations`;
const buyer = `b.country AS billing, b.region, b.tax_number AS "taxNumber",
  b.postal_code AS "postalCode", b.city, b.address_line AS "addressLine",
  b.tax_number_confirmed_at AS "confirmedAt", b.tax_number_confirmation AS confirmation`;

type EvidencePiece = 'billing' | 'card' | 'network' | 'number' | 'register' | 'confirmedAt' | 'consultation';

/** The tax that is added to the prices of a purchase, as a column of its row. */
export interface AddedTaxColumn {
  treatment: 'domestic' | 'oss' | 'seller_country' | 'reverse_charge' | 'outside_scope' | 'not_registered' | 'exempt';
  country: string;
  region?: string | undefined;
  milliPercent: number;
  isProved: boolean;
  kind: TaxCaseRow['kind'];
  evidence: Partial<Record<EvidencePiece, string | undefined>>;
}

/** `settled`: the tax with which the amount of the charge was fixed. Null if its prices include tax. */
export interface ChargeCaseRow extends TaxCaseRow {
  merchantId: number;
  amountMinor: number;
  currency: string;
  settled: AddedTaxColumn | null;
}

// A retry of a price without tax has the tax of the first attempt, because its amount stays too. A charge that the
// reconciliation recorded can belong to a later period than the stored one, whose tax is then decided again.
const settled = `CASE WHEN coalesce(s.added_tax, o.added_tax) IS NOT NULL THEN coalesce((
    SELECT jsonb_build_object('treatment', t.treatment, 'country', t.country, 'region', t.region,
      'milliPercent', t.rate_milli, 'isProved', t.is_proved, 'kind', t.kind, 'evidence', t.evidence)
    FROM charges f JOIN charge_taxes t ON t.charge_id = f.id
    WHERE f.subscription_id = c.subscription_id AND f.cycle = c.cycle ORDER BY f.id LIMIT 1),
  CASE WHEN c.recorded_at IS NULL OR c.cycle <= s.cycle THEN s.added_tax END, o.added_tax) END`;

// A cycle has the rate of the day on which its first attempt was due, so that a retry after a change of rate has the rate
// of its period. The card of a recorded charge is unknown, because the customer may have replaced the card of the backup.
const caseStatement = statement<ChargeCaseRow>(
  'charge_tax_case',
  `SELECT c.merchant_id AS "merchantId", c.amount_minor AS "amountMinor", c.currency, ${seller}, ${buyer},
     CASE WHEN c.recorded_at IS NULL THEN cards.country END AS card,
     nullif(coalesce(s.country_iso, o.country_iso), '') AS network, coalesce(k.kind, p.item_kind) AS kind,
     coalesce((SELECT min(f.created_at) FROM charges f WHERE f.subscription_id = c.subscription_id AND f.cycle = c.cycle),
       c.created_at) AS at, ${settled} AS settled
   FROM charges c JOIN tax_profiles p ON p.merchant_id = c.merchant_id
     LEFT JOIN subscriptions s ON s.id = c.subscription_id
     LEFT JOIN payments o ON o.id = c.payment_id
     LEFT JOIN item_tax_kinds k ON k.item_id = ${firstOf('s.item_id', 'o.item_id')}
     LEFT JOIN billing_details b ON b.account_id = c.account_id
     LEFT JOIN cards ON cards.id = c.card_id
   WHERE c.id = $1 AND NOT EXISTS (SELECT FROM charge_taxes t WHERE t.charge_id = c.id)`,
);

/** Undefined if the merchant has no tax, or the tax of the charge is decided. */
export async function findTaxCase(chargeId: number, inTransaction?: Transaction) {
  const [found] = await caseStatement([chargeId], inTransaction);
  return found;
}

const quoteStatement = statement<QuotedCaseRow>(
  'quoted_tax_case',
  `SELECT ${seller}, ${buyer}, (SELECT cards.country FROM default_cards d JOIN cards ON cards.id = d.card_id
       WHERE d.account_id = $2 AND d.currency = $4) AS card,
     $5::text AS network, coalesce(k.kind, p.item_kind) AS kind, merchant_now($1) AS at,
     p.prices_include_tax AS "pricesIncludeTax", p.shown_prices AS "shownPrices"
   FROM tax_profiles p
     LEFT JOIN item_tax_kinds k ON k.merchant_id = $1 AND k.item_id = $3
     LEFT JOIN billing_details b ON b.merchant_id = $1 AND b.account_id = $2
   WHERE p.merchant_id = $1`,
);

export interface QuotedCaseRow extends TaxCaseRow {
  /** Whether the prices of new purchases include tax. */
  pricesIncludeTax: boolean;
  shownPrices: TaxProfile['shownPrices'];
}

/** Of a customer who is about to pay. The account of a visitor who is not signed in is null. */
export async function findQuotedCase(
  merchantId: number,
  accountId: number | null,
  { itemId, currency, network }: QuotedPurchase,
  inTransaction?: Transaction,
): Promise<QuotedCaseRow | undefined> {
  const [found] = await quoteStatement([merchantId, accountId, itemId, currency, network ?? null], inTransaction);
  return found;
}

export interface QuotedPurchase {
  itemId: number;
  currency: string;
  /** The country of the network address. */
  network: string | undefined;
}

/** Of a subscription. */
export interface RenewedCaseRow extends TaxCaseRow {
  merchantId: number;
  currency: string;
}

const renewedStatement = statement<RenewedCaseRow>(
  'renewed_tax_case',
  `SELECT s.merchant_id AS "merchantId", s.currency, ${seller}, ${buyer},
     cards.country AS card, nullif(s.country_iso, '') AS network,
     coalesce(k.kind, p.item_kind) AS kind, $2::timestamptz AS at
   FROM subscriptions s JOIN tax_profiles p ON p.merchant_id = s.merchant_id
     LEFT JOIN item_tax_kinds k ON k.item_id = s.item_id
     LEFT JOIN billing_details b ON b.account_id = s.account_id
     LEFT JOIN cards ON cards.id = s.card_id
   WHERE s.id = $1`,
);

/** Of a subscription whose next charge is about to be fixed. */
export async function findRenewedCase(
  subscriptionId: number,
  at: Date,
  inTransaction?: Transaction,
): Promise<RenewedCaseRow | undefined> {
  const [found] = await renewedStatement([subscriptionId, at], inTransaction);
  return found;
}

export interface ChargeTax {
  netMinor: number;
  taxMinor: number;
  grossMinor: number;
  treatment: string;
  country: string;
  region?: string | undefined;
  milliPercent: number;
  kind: string;
  isProved: boolean;
  evidence: object;
}

type TaxAmounts = Pick<ChargeTax, 'netMinor' | 'taxMinor' | 'grossMinor'>;

const saveStatement = statement<{ charge_id: number }>(
  'charge_tax_save',
  `INSERT INTO charge_taxes (charge_id, merchant_id, net_minor, tax_minor, gross_minor, treatment, country, region,
     rate_milli, kind, is_proved, evidence)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (charge_id) DO NOTHING RETURNING charge_id`,
);

/** The first decision stands. Whether this is the first one. */
export async function saveChargeTax(
  { chargeId, merchantId }: { chargeId: number; merchantId: number },
  tax: ChargeTax,
  inTransaction?: Transaction,
): Promise<boolean> {
  const { netMinor, taxMinor, grossMinor, treatment, country, region, milliPercent, kind, isProved, evidence } = tax;
  const values = [chargeId, merchantId, netMinor, taxMinor, grossMinor, treatment, country, region ?? null];
  const saved = await saveStatement([...values, milliPercent, kind, isProved, JSON.stringify(evidence)], inTransaction);
  return saved.length > 0;
}

/** The tax of a charge, joined to the charge as `t`. Null if none was decided. */
export interface JoinedTax {
  taxMinor: number | null;
  taxRateMilli: number | null;
  taxCountry: string | null;
}

export const taxColumns = `t.tax_minor AS "taxMinor", t.rate_milli AS "taxRateMilli", t.country AS "taxCountry"`;

export interface RefundedTax {
  taxMinor: number;
  grossMinor: number;
  earlierMinor: number;
}

const lockStatement = statement('charge_tax_lock', 'SELECT FROM charge_taxes WHERE charge_id = $1 FOR UPDATE');

const refundedStatement = statement<RefundedTax>(
  'charge_tax_refunded',
  `SELECT t.tax_minor AS "taxMinor", t.gross_minor AS "grossMinor",
     (SELECT coalesce(sum(r.gross_minor), 0)::bigint FROM refund_taxes r JOIN refunds x ON x.id = r.refund_id
       WHERE r.charge_id = t.charge_id AND x.state = 'refunded')
     + (SELECT coalesce(sum(d.gross_minor), 0)::bigint FROM dispute_taxes d WHERE d.charge_id = t.charge_id)
       AS "earlierMinor"
   FROM charge_taxes t WHERE t.charge_id = $1`,
);

/**
 * Locks the tax of a charge, and reads how much of the charge was refunded or lost to the bank. Undefined if the charge has
 * no tax.
 */
export async function findRefundedTax(chargeId: number, inTransaction: Transaction): Promise<RefundedTax | undefined> {
  await lockStatement([chargeId], inTransaction);
  const [found] = await refundedStatement([chargeId], inTransaction);
  return found;
}

const saveRefundStatement = statement(
  'refund_tax_save',
  `INSERT INTO refund_taxes (refund_id, merchant_id, charge_id, net_minor, tax_minor, gross_minor)
   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (refund_id) DO NOTHING`,
);

export async function saveRefundTax(
  { id, merchantId, chargeId }: { id: number; merchantId: number; chargeId: number },
  { netMinor, taxMinor, grossMinor }: TaxAmounts,
  inTransaction: Transaction,
): Promise<void> {
  await saveRefundStatement([id, merchantId, chargeId, netMinor, taxMinor, grossMinor], inTransaction);
}

/** The decision of a bank about a dispute. */
export interface DisputeDecision {
  id: number;
  merchantId: number;
  chargeId: number;
  /** What the bank took, in the currency of the charge. */
  amountMinor: number;
  isLost: boolean;
  /** Merchant time. */
  at: Date;
}

const disputedStatement = statement<TaxAmounts>(
  'dispute_tax_sum',
  `SELECT coalesce(sum(net_minor), 0)::bigint AS "netMinor", coalesce(sum(tax_minor), 0)::bigint AS "taxMinor",
     coalesce(sum(gross_minor), 0)::bigint AS "grossMinor" FROM dispute_taxes WHERE dispute_id = $1`,
);

/** The part of a dispute whose tax is not owed at present. */
export async function sumDisputedTax(disputeId: number, inTransaction: Transaction): Promise<TaxAmounts> {
  const [sum] = await disputedStatement([disputeId], inTransaction);
  return sum ?? { netMinor: 0, taxMinor: 0, grossMinor: 0 };
}

const saveDisputeStatement = statement<{ id: number }>(
  'dispute_tax_save',
  `INSERT INTO dispute_taxes (dispute_id, merchant_id, charge_id, net_minor, tax_minor, gross_minor, decided_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
);

/** Returns the id of the correction. */
export async function saveDisputeTax(
  { id, merchantId, chargeId, at }: { id: number; merchantId: number; chargeId: number; at: Date },
  { netMinor, taxMinor, grossMinor }: TaxAmounts,
  inTransaction: Transaction,
): Promise<number> {
  const values = [id, merchantId, chargeId, netMinor, taxMinor, grossMinor, at];
  const [saved] = await saveDisputeStatement(values, inTransaction);
  if (!saved) throw new Error('the correction was not saved');
  return saved.id;
}
