import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** The seller as it is named on invoices. */
export interface TaxProfile {
  sellerName: string;
  addressLine: string;
  postalCode: string;
  city: string;
  country: string;
  taxNumber: string;
  itemKind: 'standard' | 'ebook' | 'press';
  timeZone: string;
  /** False: the tax is added to the prices of new purchases. */
  pricesIncludeTax: boolean;
  /** The form in which prices are shown. */
  shownPrices: 'by_country' | 'with_tax' | 'without_tax';
  /** `provider`: the merchant's account at the card provider calculates the tax of charges. */
  calculation: 'table' | 'provider';
  /** A text on each document; empty without one. */
  invoiceNote: string;
}

const profileStatement = statement<TaxProfile>(
  'tax_profile',
  `SELECT seller_name AS "sellerName", address_line AS "addressLine", postal_code AS "postalCode", city, country,
     tax_number AS "taxNumber", item_kind AS "itemKind", time_zone AS "timeZone",
     prices_include_tax AS "pricesIncludeTax", shown_prices AS "shownPrices", calculation,
     invoice_note AS "invoiceNote"
   FROM tax_profiles WHERE merchant_id = $1`,
);

/** Undefined: the merchant has no tax. */
export async function findTaxProfile(merchantId: number): Promise<TaxProfile | undefined> {
  const [profile] = await profileStatement([merchantId]);
  return profile;
}

const saveStatement = statement(
  'tax_profile_save',
  `INSERT INTO tax_profiles (merchant_id, seller_name, address_line, postal_code, city, country, tax_number, item_kind,
     time_zone, prices_include_tax, shown_prices, calculation, invoice_note, has_separate_corrections)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   ON CONFLICT (merchant_id) DO UPDATE SET seller_name = excluded.seller_name, address_line = excluded.address_line,
     postal_code = excluded.postal_code, city = excluded.city, country = excluded.country,
     tax_number = excluded.tax_number, item_kind = excluded.item_kind,
     time_zone = excluded.time_zone, prices_include_tax = excluded.prices_include_tax,
     shown_prices = excluded.shown_prices, calculation = excluded.calculation,
     invoice_note = excluded.invoice_note,
     has_separate_corrections = tax_profiles.has_separate_corrections OR excluded.has_separate_corrections,
     updated_at = now()`,
);

export async function saveTaxProfile(
  merchantId: number,
  profile: TaxProfile & { hasSeparateCorrections: boolean },
  inTransaction: Transaction,
): Promise<void> {
  const { sellerName, addressLine, postalCode, city, country, taxNumber, itemKind } = profile;
  const { timeZone, pricesIncludeTax, shownPrices, calculation, invoiceNote, hasSeparateCorrections } = profile;
  const address = [addressLine, postalCode, city, country];
  const sale = [taxNumber, itemKind, timeZone, pricesIncludeTax, shownPrices, calculation, invoiceNote];
  await saveStatement([merchantId, sellerName, ...address, ...sale, hasSeparateCorrections], inTransaction);
}

export interface RegistrationRow {
  id: number;
  country: string;
  region: string | null;
  scheme: 'domestic' | 'oss' | 'ioss' | 'exempt';
  number: string;
}

const registrationsStatement = statement<RegistrationRow>(
  'tax_registrations',
  `SELECT id, country, region, scheme, number FROM tax_registrations WHERE merchant_id = $1
   ORDER BY country, region NULLS FIRST, scheme`,
);

export const listRegistrationRows = (merchantId: number) => registrationsStatement([merchantId]);

const addStatement = statement<{ id: number }>(
  'tax_registration_add',
  `INSERT INTO tax_registrations (merchant_id, country, region, scheme, number) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT ON CONSTRAINT tax_registrations_once DO UPDATE SET number = excluded.number RETURNING id`,
);

/** A registration that exists gets the new number. */
export async function addRegistrationRow(
  merchantId: number,
  { country, region, scheme, number }: Omit<RegistrationRow, 'id'>,
  inTransaction: Transaction,
): Promise<number> {
  const [row] = await addStatement([merchantId, country, region, scheme, number], inTransaction);
  if (!row) throw new Error('the registration was not written');
  return row.id;
}

const removeStatement = statement<{ id: number }>(
  'tax_registration_remove',
  'DELETE FROM tax_registrations WHERE merchant_id = $1 AND id = $2 RETURNING id',
);

/** Whether there was such a registration. */
export async function removeRegistrationRow(merchantId: number, id: number, inTransaction: Transaction) {
  return (await removeStatement([merchantId, id], inTransaction)).length > 0;
}

const kindStatement = statement<{ item_id: number }>(
  'item_tax_kind_save',
  `INSERT INTO item_tax_kinds (merchant_id, item_id, kind) SELECT merchant_id, id, $3 FROM items
   WHERE merchant_id = $1 AND id = $2
   ON CONFLICT (item_id) DO UPDATE SET kind = excluded.kind RETURNING item_id`,
);

/** Whether the merchant has such an item. */
export async function saveItemKind(merchantId: number, itemId: number, kind: string, inTransaction: Transaction) {
  return (await kindStatement([merchantId, itemId, kind], inTransaction)).length > 0;
}

export interface MissingRow {
  country: string;
  treatment: 'not_registered' | 'seller_country';
  currency: string;
  sales: number;
  grossMinor: number;
}

// The invoices by day and tax that a trigger counts (`count_document` in the schema), so that the time does not grow with the
// number of sales. The last part of a key is empty for an invoice.
const missingStatement = statement<MissingRow>(
  'tax_missing',
  `SELECT split_part(key, ':', 2) AS country, split_part(key, ':', 1) AS treatment, currency,
     sum(count) FILTER (WHERE figure = 'invoiced_net')::int AS sales, sum(amount_minor)::bigint AS "grossMinor"
   FROM (
     SELECT figure, day, key, currency, count, amount_minor FROM daily_figures
     WHERE merchant_id = $1 AND figure IN ('invoiced_net', 'invoiced_tax') AND dimension = 'tax'
     UNION ALL
     SELECT figure, day, keys[1], currency, count, amount_minor FROM figure_deltas
     WHERE merchant_id = $1 AND figure IN ('invoiced_net', 'invoiced_tax')
   ) f
   WHERE day > (merchant_now($1) - interval '1 year')::date AND split_part(key, ':', 5) = ''
     AND split_part(key, ':', 1) IN ('not_registered', 'seller_country')
   GROUP BY 1, 2, 3 HAVING sum(count) > 0 ORDER BY "grossMinor" DESC, 1, 3 LIMIT 300`,
);

/** The sales of the last year without a registration in the country of the customer. */
export const listMissingRows = (merchantId: number) => missingStatement([merchantId]);
