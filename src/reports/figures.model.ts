import { pool } from '../adapters/postgres/connection';
import { reportQuery } from '../adapters/postgres/reports';
import { query } from '../adapters/postgres/statement';
import { type StepKind } from '../ledger/ledger.model';

/** The figures that are counted by day. */
export type FigureName =
  | 'revenue'
  | 'refunds'
  | 'chargebacks'
  | 'mrr'
  | 'movements'
  | 'paying_customers'
  | 'customers'
  | 'registered'
  | 'begun'
  | 'states'
  | StepKind
  | 'journal'
  | 'seen'
  | 'events';

export interface FigureQuery {
  merchantId: number;
  figures: readonly FigureName[];
  dimension: string;
  /** Days in UTC as `YYYY-MM-DD`; `to` is exclusive, and may be `infinity`. Absent: from the beginning. */
  from?: string | undefined;
  to: string;
  interval: Interval | 'none';
  currency?: string | undefined;
  key?: string | undefined;
}

export const intervals = ['day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

export interface FigureRow {
  figure: FigureName;
  /** The first day of the interval; '' for the whole range. */
  period: string;
  key: string;
  currency: string;
  count: number;
  amountMinor: number;
}

/** The sums of folded days plus the deltas that are not folded yet, both as of one instant. */
const figuresText = `
  SELECT figure, CASE WHEN $6 = 'none' THEN '' ELSE to_char(date_trunc(nullif($6, 'none'), day::timestamp), 'YYYY-MM-DD') END
      AS period, key, currency, sum(count)::bigint AS count, sum(amount_minor)::bigint AS "amountMinor"
  FROM (
    SELECT figure, day, key, currency, count, amount_minor FROM daily_figures
    WHERE merchant_id = $1 AND figure = ANY($2) AND dimension = $3 AND ($4::date IS NULL OR day >= $4) AND day < $5
    UNION ALL
    SELECT figure, day, d.key, currency, count, amount_minor
    FROM figure_deltas CROSS JOIN LATERAL unnest(dimensions, keys) AS d (dimension, key)
    WHERE merchant_id = $1 AND figure = ANY($2) AND d.dimension = $3 AND ($4::date IS NULL OR day >= $4) AND day < $5
  ) f
  WHERE ($7::text IS NULL OR currency = $7 OR currency = '') AND ($8::text IS NULL OR key = $8)
  GROUP BY 1, 2, 3, 4 ORDER BY 2, 4, 3`;

export function selectFigures(wanted: FigureQuery): Promise<FigureRow[]> {
  return reportQuery<FigureRow>(figuresText, valuesOf(wanted));
}

function valuesOf({ merchantId, figures, dimension, from, to, interval, currency, key }: FigureQuery): unknown[] {
  return [merchantId, figures, dimension, from ?? null, to, interval, currency ?? null, key ?? null];
}

/** The query plan of the selection, with times. */
export async function explainSelection(wanted: FigureQuery): Promise<string> {
  const lines = await query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${figuresText}`, valuesOf(wanted));
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

/** Adds deltas to the sums of their days, and returns how many. */
export async function foldDeltas(most: number): Promise<number> {
  const { rows } = await pool.query<{ folded: number }>('SELECT fold_figures($1) AS folded', [most]);
  return rows[0]?.folded ?? 0;
}
