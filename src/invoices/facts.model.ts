import { type Transaction } from '../adapters/postgres/connection';
import { firstOf, statement } from '../adapters/postgres/statement';

export interface Party {
  name: string;
  address_line: string;
  postal_code: string;
  city: string;
  country: string;
  tax_number: string;
}

/** The seller as it was named when the invoice was issued. */
export interface Seller extends Party {
  /** A text of the merchant. */
  note: string;
}

export interface Buyer extends Party {
  email: string;
  region: string;
  /** The name and the address that the register answered for the number; empty without them. */
  tax_number_entry: string;
  language: string | null;
  paid_with: string;
  last_four: string;
}

export interface InvoiceLine {
  kind: 'item' | 'discount' | 'setup_fee' | 'balance' | 'refund' | 'chargeback' | 'cancellation';
  text: string;
  detail: string;
  /** Unix seconds; null if the line has no period. */
  starts_at: number | null;
  ends_at: number | null;
  net_minor: number;
  tax_minor: number;
  gross_minor: number;
}

/** A document without its number. */
export interface NewInvoice {
  merchantId: number;
  kind: 'invoice' | 'credit_note' | 'cancellation';
  year: number;
  chargeId: number;
  refundId: number | null;
  disputeTaxId: number | null;
  correctsId: number | null;
  issuedAt: Date;
  timeZone: string;
  currency: string;
  netMinor: number;
  taxMinor: number;
  grossMinor: number;
  treatment: string;
  taxCountry: string;
  taxRegion: string | null;
  rateMilli: number;
  seller: Seller;
  lines: InvoiceLine[];
  /** Null if the buyer was deleted after the retention. */
  buyer: Buyer | null;
}

type Decided = Omit<NewInvoice, 'kind' | 'refundId' | 'disputeTaxId' | 'correctsId' | 'lines'>;

export interface ChargedRow extends Decided {
  amountMinor: number;
  balanceMinor: number;
  priceMinor: number;
  setupFeeMinor: number;
  setupFeeDescription: string | null;
  voucherCode: string;
  discountPercent: number | null;
  discountMinor: number | null;
  offerPercent: number | null;
  /** The tax that was added to the price. Null: the price includes tax. */
  addedTax: { milliPercent: number } | null;
  itemTitle: string;
  description: string;
  /** The time that the charge pays for. Null for a gift, whose receiver begins it later. */
  periodStart: Date | null;
  periodEnd: Date | null;
}

// A tax of another country than the seller's is charged under the registration there, or under the one stop shop. Its number
// stands on the invoice. A treatment has the name of its scheme.
const numberOfPlace = `SELECT r.number FROM tax_registrations r
  WHERE r.merchant_id = p.merchant_id AND t.country <> tax_country_of(p.country) AND r.scheme = t.treatment AND r.number <> ''
    AND (r.scheme = 'oss' OR tax_country_of(r.country) = t.country AND (r.region IS NULL OR r.region = t.region))
  ORDER BY r.region NULLS LAST, r.id LIMIT 1`;
const numberAtHome = `SELECT r.number FROM tax_registrations r
  WHERE r.merchant_id = p.merchant_id AND tax_country_of(r.country) = tax_country_of(p.country)
    AND r.scheme IN ('domestic', 'exempt')
  ORDER BY r.scheme, r.id LIMIT 1`;
const seller = `json_build_object('name', p.seller_name, 'address_line', p.address_line, 'postal_code', p.postal_code,
  'city', p.city, 'country', p.country, 'note', p.invoice_note,
  'tax_number', coalesce((${numberOfPlace}), nullif(p.tax_number, ''), (${numberAtHome}), ''))`;

// The answer of the register for this sale. A later look-up for the customer can have another answer.
const entry = `CASE WHEN b.tax_number_confirmed_at = (t.evidence->>'confirmedAt')::timestamptz THEN b.tax_number_entry ELSE '' END`;

const buyer = `json_build_object('name', coalesce(nullif(b.name, ''), a.full_name), 'email', a.email,
  'address_line', coalesce(b.address_line, ''), 'postal_code', coalesce(b.postal_code, ''),
  'city', coalesce(b.city, ''), 'region', coalesce(b.region, ''), 'country', coalesce(b.country, t.country),
  'tax_number', coalesce(b.tax_number, ''), 'tax_number_entry', ${entry}, 'language', a.language,
  'paid_with', CASE WHEN c.recorded_at IS NULL THEN coalesce(cards.brand, '') ELSE '' END,
  'last_four', CASE WHEN c.recorded_at IS NULL THEN coalesce(cards.last_four, '') ELSE '' END)`;

// A charge that the reconciliation recorded is invoiced today, because the dates of invoices follow their numbers.
const issuedAt = `CASE WHEN c.recorded_at IS NULL THEN c.settled_at ELSE merchant_now(c.merchant_id) END`;

/**
 * A plan change is paid before the subscription has the new plan, so its charge is of the next cycle. Its price is that
 * of the new plan. A part of a period has a share of the price, and no discount explains it. A recorded charge of a later
 * cycle is taken for a renewal.
 */
const planChange = `SELECT change.is_true, coalesce(change.is_true AND c.period_end = s.current_period_end, false) AS is_part,
    CASE WHEN change.is_true THEN f.amount_minor END AS price_minor
  FROM (SELECT coalesce(s.state <> 'incomplete' AND c.recorded_at IS NULL AND c.cycle > s.cycle, false) AS is_true) change`;

const chargedStatement = statement<ChargedRow>(
  'invoice_of_charge',
  `SELECT c.merchant_id AS "merchantId", c.id AS "chargeId", ${issuedAt} AS "issuedAt", p.time_zone AS "timeZone",
     extract(year FROM ${issuedAt} AT TIME ZONE p.time_zone)::int AS year, c.currency, t.net_minor AS "netMinor",
     t.tax_minor AS "taxMinor", t.gross_minor AS "grossMinor", t.treatment, t.country AS "taxCountry",
     t.region AS "taxRegion", t.rate_milli AS "rateMilli", ${seller} AS seller, ${buyer} AS buyer,
     c.amount_minor AS "amountMinor", c.balance_minor AS "balanceMinor",
     coalesce(changed.price_minor, s.price_minor, o.price_minor) AS "priceMinor",
     CASE WHEN c.cycle = 1 AND NOT changed.is_true THEN coalesce(s.setup_fee_minor, o.setup_fee_minor) ELSE 0 END AS "setupFeeMinor",
     f.setup_fee_description AS "setupFeeDescription", coalesce(s.voucher_code, o.voucher_code) AS "voucherCode",
     CASE WHEN NOT changed.is_part THEN coalesce(s.discount_percent, o.discount_percent) END AS "discountPercent",
     CASE WHEN NOT changed.is_part THEN coalesce(s.discount_minor, o.discount_minor) END AS "discountMinor",
     CASE WHEN NOT changed.is_true THEN s.offer_percent END AS "offerPercent",
     CASE WHEN coalesce(s.added_tax, o.added_tax) IS NOT NULL THEN json_build_object('milliPercent', t.rate_milli) END
       AS "addedTax", i.title AS "itemTitle", f.description,
     c.period_start AS "periodStart", c.period_end AS "periodEnd"
   FROM charges c JOIN charge_taxes t ON t.charge_id = c.id
     JOIN tax_profiles p ON p.merchant_id = c.merchant_id
     JOIN accounts a ON a.id = c.account_id
     LEFT JOIN subscriptions s ON s.id = c.subscription_id
     LEFT JOIN payments o ON o.id = c.payment_id
     JOIN items i ON i.id = ${firstOf('s.item_id', 'o.item_id')}
     JOIN access_fees f ON f.id = c.access_fee_id
     CROSS JOIN LATERAL (${planChange}) changed
     LEFT JOIN billing_details b ON b.account_id = c.account_id
     LEFT JOIN cards ON cards.id = c.card_id
   WHERE c.id = $1 AND c.status = 'paid' AND c.amount_minor > 0`,
);

/** Undefined if the charge has no invoice: nothing was charged, or the merchant has no tax. */
export async function findCharged(chargeId: number, inTransaction: Transaction): Promise<ChargedRow | undefined> {
  const [row] = await chargedStatement([chargeId], inTransaction);
  return row;
}

export interface CorrectedRow extends Decided {
  id: number;
  itemTitle: string;
  number: string;
}

const corrected = (of: string, amounts: string) => `
  SELECT v.id, v.number, v.lines->0->>'text' AS "itemTitle", v.merchant_id AS "merchantId", v.charge_id AS "chargeId",
    $2::timestamptz AS "issuedAt", coalesce(p.time_zone, v.time_zone) AS "timeZone",
    extract(year FROM $2::timestamptz AT TIME ZONE coalesce(p.time_zone, v.time_zone))::int AS year, v.currency, ${amounts},
    v.treatment, v.tax_country AS "taxCountry", v.tax_region AS "taxRegion", v.rate_milli AS "rateMilli", v.seller,
    (SELECT to_json(b) FROM invoice_buyers b WHERE b.invoice_id = v.id) AS buyer
  FROM ${of} LEFT JOIN tax_profiles p ON p.merchant_id = v.merchant_id`;

const ofRefund = corrected(
  `refund_taxes r JOIN invoices v ON v.charge_id = r.charge_id AND v.kind = 'invoice'`,
  `-r.net_minor AS "netMinor", -r.tax_minor AS "taxMinor", -r.gross_minor AS "grossMinor"`,
);
const ofCreditNote = corrected(
  'invoices v',
  `-v.net_minor AS "netMinor", -v.tax_minor AS "taxMinor", -v.gross_minor AS "grossMinor"`,
);

const ofLostDispute = corrected(
  `dispute_taxes d JOIN invoices v ON v.charge_id = d.charge_id AND v.kind = 'invoice'`,
  `-d.net_minor AS "netMinor", -d.tax_minor AS "taxMinor", -d.gross_minor AS "grossMinor"`,
);
/** The win corrects the last credit note of the dispute. */
const ofWonDispute = corrected(
  `dispute_taxes d JOIN LATERAL (SELECT c.* FROM invoices c JOIN dispute_taxes o ON o.id = c.dispute_tax_id
     WHERE o.dispute_id = d.dispute_id AND c.kind = 'credit_note' ORDER BY c.id DESC LIMIT 1) v ON true`,
  `-d.net_minor AS "netMinor", -d.tax_minor AS "taxMinor", -d.gross_minor AS "grossMinor"`,
);

const correctedStatements = {
  credit_note: statement<CorrectedRow>('invoice_of_refund', `${ofRefund} WHERE r.refund_id = $1`),
  cancellation: statement<CorrectedRow>(
    'invoice_of_credit_note',
    `${ofCreditNote} WHERE v.refund_id = $1 AND v.kind = 'credit_note'`,
  ),
  lost_dispute: statement<CorrectedRow>(
    'invoice_of_lost_dispute',
    `${ofLostDispute} WHERE d.id = $1 AND d.gross_minor > 0`,
  ),
  won_dispute: statement<CorrectedRow>(
    'invoice_of_won_dispute',
    `${ofWonDispute} WHERE d.id = $1 AND d.gross_minor < 0`,
  ),
};

export type Correction = keyof typeof correctedStatements;

/**
 * The document that a refund, the failure of a refund, or the correction of a disputed tax corrects. Undefined if there is
 * none. `id`: of the refund or of the correction.
 */
export async function findCorrected(
  kind: Correction,
  id: number,
  at: Date,
  inTransaction: Transaction,
): Promise<CorrectedRow | undefined> {
  const [row] = await correctedStatements[kind]([id, at], inTransaction);
  return row;
}
