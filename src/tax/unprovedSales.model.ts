import { query, statement } from '../adapters/postgres/statement';
import { type AddedTaxColumn } from './chargeTaxes.model';

export interface UnprovedSale {
  /** Of the charge. */
  id: number;
  trxToken: string;
  paidAt: Date;
  accountId: number;
  treatment: string;
  country: string;
  region: string | null;
  taxMinor: number;
  grossMinor: number;
  currency: string;
  evidence: AddedTaxColumn['evidence'];
}

/** Newest first. `before`: only charges with a smaller id. */
export const listUnproved = (
  merchantId: number,
  { limit, offset, before }: { limit: number; offset: number; before: number | undefined },
): Promise<UnprovedSale[]> =>
  query<UnprovedSale>(
    `SELECT t.charge_id AS id, c.trx_token AS "trxToken", coalesce(c.settled_at, c.created_at) AS "paidAt",
       c.account_id AS "accountId", t.treatment, t.country, t.region, t.tax_minor AS "taxMinor",
       t.gross_minor AS "grossMinor", c.currency, t.evidence
     FROM charge_taxes t JOIN charges c ON c.id = t.charge_id
     WHERE t.merchant_id = $1 AND NOT t.is_proved AND c.status = 'paid' AND c.amount_minor > 0
       AND ($2::int IS NULL OR t.charge_id < $2) ORDER BY t.charge_id DESC LIMIT $3 OFFSET $4`,
    [merchantId, before ?? null, limit, offset],
  );

const countStatement = statement<{ total: number }>(
  'unproved_sales',
  `SELECT coalesce(sum(count), 0)::int AS total FROM (
     SELECT count FROM daily_figures WHERE merchant_id = $1 AND figure = 'unproved'
     UNION ALL SELECT count FROM figure_deltas WHERE merchant_id = $1 AND figure = 'unproved') f`,
);

/** The number of all of them. A trigger counts them with their invoices (`count_document` in the schema). */
export async function countUnproved(merchantId: number): Promise<number> {
  const [row] = await countStatement([merchantId]);
  return row?.total ?? 0;
}
