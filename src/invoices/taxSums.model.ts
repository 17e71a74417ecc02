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

// The sums by day that a trigger keeps (`count_document` in the schema). A year has up to 366 days of them, however many
// invoices there are. A correction of an invoice of the period belongs to its other documents.
const sumsText = `SELECT treatment, country, region, "rateMilli", currency, quarter AS "correctedQuarter",
    sum(count) FILTER (WHERE figure = 'invoiced_net')::int AS documents,
    coalesce(sum(amount_minor) FILTER (WHERE figure = 'invoiced_net'), 0)::bigint AS "netMinor",
    coalesce(sum(amount_minor) FILTER (WHERE figure = 'invoiced_tax'), 0)::bigint AS "taxMinor",
    sum(amount_minor)::bigint AS "grossMinor"
  FROM (
    SELECT figure, key, currency, count, amount_minor FROM daily_figures
    WHERE merchant_id = $1 AND figure IN ('invoiced_net', 'invoiced_tax') AND dimension = 'tax' AND day >= $2 AND day < $3
    UNION ALL
    SELECT figure, keys[1], currency, count, amount_minor FROM figure_deltas
    WHERE merchant_id = $1 AND figure IN ('invoiced_net', 'invoiced_tax') AND day >= $2 AND day < $3
  ) f CROSS JOIN LATERAL (
    SELECT split_part(key, ':', 1) AS treatment, split_part(key, ':', 2) AS country,
      nullif(split_part(key, ':', 3), '') AS region, split_part(key, ':', 4)::int AS "rateMilli",
      CASE WHEN nullif(split_part(key, ':', 5), '') < to_char($2::date, 'YYYY"-Q"Q') THEN split_part(key, ':', 5) END
        AS quarter
  ) k
  GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(count) <> 0
  ORDER BY treatment, country, region NULLS FIRST, "rateMilli" DESC, currency, quarter NULLS FIRST`;

export const sumTaxes = (merchantId: number, { from, end }: TaxPeriod): Promise<TaxSum[]> =>
  reportQuery<TaxSum>(sumsText, [merchantId, from, end]);
