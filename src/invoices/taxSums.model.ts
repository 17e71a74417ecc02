import { reportQuery } from '../adapters/postgres/reports';

/** The sums of invoices and credit notes with the same tax. Amounts are in minor units. */
export interface TaxSum {
  treatment: string;
  country: string;
  region: string | null;
  /** Thousandths of a percent. */
  rateMilli: number;
  currency: string;
  /** The quarter of the corrected invoices, such as `2026-Q3`; null for invoices of the period and their corrections. */
  correctedQuarter: string | null;
  documents: number;
  netMinor: number;
  taxMinor: number;
  grossMinor: number;
}

/** Days of the seller's time zone, `YYYY-MM-DD`. */
export interface TaxPeriod {
  from: string;
  /** The day after the last one. */
  end: string;
}

// The first range of `issued_at` is one day wider on both sides, because the days are those of a time zone. It uses the index.
// Inside the second one, a document belongs to the period in every time zone. Invoices and corrections are summed apart, so
// that the many invoices need no sorting.
const sumsText = `WITH documents AS NOT MATERIALIZED (
    SELECT v.kind, v.charge_id, v.treatment, v.tax_country, v.tax_region, v.rate_milli, v.currency, v.net_minor, v.tax_minor,
      v.gross_minor
    FROM invoices v
    WHERE v.merchant_id = $1 AND v.issued_at >= $2::date - interval '1 day' AND v.issued_at < $3::date + interval '1 day'
      AND (v.issued_at >= $2::date + interval '1 day' AND v.issued_at < $3::date - interval '1 day'
        OR (v.issued_at AT TIME ZONE v.time_zone) >= $2::date AND (v.issued_at AT TIME ZONE v.time_zone) < $3::date)
  ),
  corrections AS (
    SELECT v.*, (SELECT to_char(i.issued_at AT TIME ZONE i.time_zone, 'YYYY"-Q"Q') FROM invoices i
      WHERE i.charge_id = v.charge_id AND i.kind = 'invoice' AND (i.issued_at AT TIME ZONE i.time_zone) < $2::date) AS quarter
    FROM documents v WHERE v.kind <> 'invoice'
  ),
  sums AS (
    SELECT treatment, tax_country, tax_region, rate_milli, currency, NULL AS quarter, count(*) AS documents,
      sum(net_minor) AS net, sum(tax_minor) AS tax, sum(gross_minor) AS gross
    FROM documents WHERE kind = 'invoice' GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT treatment, tax_country, tax_region, rate_milli, currency, quarter, count(*), sum(net_minor), sum(tax_minor),
      sum(gross_minor)
    FROM corrections GROUP BY 1, 2, 3, 4, 5, 6
  )
  SELECT treatment, tax_country AS country, tax_region AS region, rate_milli AS "rateMilli", currency,
    quarter AS "correctedQuarter", sum(documents)::int AS documents, sum(net)::bigint AS "netMinor",
    sum(tax)::bigint AS "taxMinor", sum(gross)::bigint AS "grossMinor"
  FROM sums GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY treatment, tax_country, tax_region NULLS FIRST, rate_milli DESC, currency, quarter NULLS FIRST`;

export const sumTaxes = (merchantId: number, { from, end }: TaxPeriod): Promise<TaxSum[]> =>
  reportQuery<TaxSum>(sumsText, [merchantId, from, end]);
