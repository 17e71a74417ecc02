import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type NewInvoice } from './facts.model';

// The number comes last, so that the sequence is locked for two statements at most: this one and the commit.
const issueStatement = statement(
  'invoice_issue',
  `WITH counted AS (
     INSERT INTO invoice_sequences AS q (merchant_id, is_test, year, series, last_number)
     SELECT $1, $2, $3, coalesce(max(name), '') || $22, 1 FROM invoice_series WHERE merchant_id = $1
     ON CONFLICT (merchant_id, is_test, year, series) DO UPDATE SET last_number = q.last_number + 1
     RETURNING series, last_number
   ),
   issued AS (
     INSERT INTO invoices (merchant_id, is_test, year, sequence_no, kind, charge_id, refund_id, corrects_id, issued_at,
       time_zone, currency, net_minor, tax_minor, gross_minor, treatment, tax_country, tax_region, rate_milli, seller, lines,
       dispute_tax_id, corrected_quarter, series)
     SELECT $1, $2, $3, last_number, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $21,
       (SELECT to_char(i.issued_at AT TIME ZONE i.time_zone, 'YYYY"-Q"Q') FROM invoices i
         WHERE i.charge_id = $5 AND i.kind = 'invoice' AND $4 <> 'invoice'), series
     FROM counted
     RETURNING id, merchant_id
   )
   INSERT INTO invoice_buyers (invoice_id, merchant_id, name, email, address_line, postal_code, city, region, country,
     tax_number, tax_number_entry, language, paid_with, last_four)
   SELECT issued.id, issued.merchant_id, b.name, b.email, b.address_line, b.postal_code, b.city, b.region, b.country,
     b.tax_number, b.tax_number_entry, b.language, b.paid_with, b.last_four
   FROM issued, jsonb_to_record($20::jsonb) AS b (name text, email text, address_line text, postal_code text, city text,
     region text, country text, tax_number text, tax_number_entry text, language text, paid_with text, last_four text)
   WHERE $20::jsonb IS NOT NULL`,
);

/** Takes the next number of a sequence. `series`: C for a correction that is numbered apart, and else empty. */
export async function insertInvoice(
  invoice: NewInvoice,
  { isTest, series }: { isTest: boolean; series: '' | 'C' },
  inTransaction: Transaction,
): Promise<void> {
  const { merchantId, year, kind, chargeId, refundId, correctsId, issuedAt, timeZone, currency } = invoice;
  const { netMinor, taxMinor, grossMinor, treatment, taxCountry, taxRegion, rateMilli, seller: by, lines } = invoice;
  const values = [merchantId, isTest, year, kind, chargeId, refundId, correctsId, issuedAt, timeZone, currency];
  const amounts = [netMinor, taxMinor, grossMinor, treatment, taxCountry, taxRegion, rateMilli];
  const texts = [JSON.stringify(by), JSON.stringify(lines), invoice.buyer && JSON.stringify(invoice.buyer)];
  await issueStatement([...values, ...amounts, ...texts, invoice.disputeTaxId, series], inTransaction);
}
