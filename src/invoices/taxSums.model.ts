import { query } from '../adapters/postgres/statement';

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

// The range of `issued_at` is one day wider on both sides, because the days are those of a time zone. It uses the index.
const sumsText = `SELECT v.treatment, v.tax_country AS country, v.tax_region AS region, v.rate_milli AS "rateMilli", v.currency,
    CASE WHEN (i.issued_at AT TIME ZONE i.time_zone) < $2::date
      THEN to_char(i.issued_at AT TIME ZONE i.time_zone, 'YYYY"-Q"Q') END AS "correctedQuarter",
    count(*)::int AS documents, sum(v.net_minor)::bigint AS "netMinor", sum(v.tax_minor)::bigint AS "taxMinor",
    sum(v.gross_minor)::bigint AS "grossMinor"
  FROM invoices v
    LEFT JOIN invoices i ON v.kind <> 'invoice' AND i.charge_id = v.charge_id AND i.kind = 'invoice'
  WHERE v.merchant_id = $1 AND v.issued_at >= $2::date - interval '1 day' AND v.issued_at < $3::date + interval '1 day'
    AND (v.issued_at AT TIME ZONE v.time_zone) >= $2::date AND (v.issued_at AT TIME ZONE v.time_zone) < $3::date
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY v.treatment, v.tax_country, v.tax_region NULLS FIRST, v.rate_milli DESC, v.currency, 6 NULLS FIRST`;

export const sumTaxes = (merchantId: number, { from, end }: TaxPeriod): Promise<TaxSum[]> =>
  query<TaxSum>(sumsText, [merchantId, from, end]);
