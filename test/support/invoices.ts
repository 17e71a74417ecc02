import { createConsumer, type Person, type Shop } from './factories';
import { createPayShop, paid } from './payments';
import { type TestApp } from './startApp';
import { nameSeller } from './tax';

export interface IssuedRow {
  kind: string;
  number: string;
  year: number;
  series: string;
  sequence_no: number;
  net: number;
  tax: number;
  gross: number;
  lines: { kind: string; text: string; starts_at: number | null; tax_minor: number; gross_minor: number }[];
  seller: { name: string; tax_number: string };
  corrects: string | null;
}

/** The documents of a merchant in the order of their numbers. */
export async function issued({ pool }: Pick<TestApp, 'pool'>, { id }: Person): Promise<IssuedRow[]> {
  const text = `SELECT v.kind, v.number, v.year, v.series, v.sequence_no, v.net_minor::int AS net, v.tax_minor::int AS tax,
      v.gross_minor::int AS gross, v.lines, v.seller, o.number AS corrects
    FROM invoices v LEFT JOIN invoices o ON o.id = v.corrects_id WHERE v.merchant_id = $1 ORDER BY v.year, v.series, v.sequence_no`;
  return (await pool.query<IssuedRow>(text, [id])).rows;
}

/** A shop whose purchases have invoices. */
export async function createTaxedShop(app: Pick<TestApp, 'address'>): Promise<Shop> {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  return shop;
}

/** Gives all documents of a merchant, or those of one kind, the date of an earlier period. */
export const moveInvoices = (app: Pick<TestApp, 'pool'>, { id }: Person, issuedAt: string, kind = '%'): Promise<void> =>
  changeInvoices(app, id, `issued_at = '${issuedAt}'`, `kind LIKE '${kind}'`);

/** Changes documents as if they had been issued so, and counts the documents of the merchant again. */
export async function changeInvoices(
  { pool }: Pick<TestApp, 'pool'>,
  merchantId: number,
  change: string,
  which = 'true',
): Promise<void> {
  await pool.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     UPDATE invoices SET ${change} WHERE merchant_id = ${merchantId} AND ${which};
     UPDATE invoices v SET corrected_quarter = to_char(i.issued_at AT TIME ZONE i.time_zone, 'YYYY"-Q"Q') FROM invoices i
     WHERE v.merchant_id = ${merchantId} AND v.kind <> 'invoice' AND i.charge_id = v.charge_id AND i.kind = 'invoice';
     DELETE FROM daily_figures WHERE merchant_id = ${merchantId} AND figure IN ('invoiced_net', 'invoiced_tax', 'unproved');
     DELETE FROM figure_deltas WHERE merchant_id = ${merchantId} AND figure IN ('invoiced_net', 'invoiced_tax', 'unproved');
     SELECT count_document(v, 1) FROM invoices v WHERE merchant_id = ${merchantId}; COMMIT`,
  );
}

/** The documents of a merchant by day and tax that differ from the sums of tax reports. */
export async function wrongTaxSums({ pool }: Pick<TestApp, 'pool'>, { id }: Person): Promise<object[]> {
  const { rows } = await pool.query<object>(
    `SELECT day::text, key, currency, figure, sum(count)::int AS count, sum(amount)::float8 AS amount FROM (
       SELECT day, key, currency, figure, -count AS count, -amount_minor AS amount FROM daily_figures
       WHERE merchant_id = $1 AND dimension = 'tax'
       UNION ALL SELECT day, keys[1], currency, figure, -count, -amount_minor FROM figure_deltas
       WHERE merchant_id = $1 AND dimensions = '{tax}'
       UNION ALL SELECT (v.issued_at AT TIME ZONE v.time_zone)::date, v.treatment || ':' || v.tax_country || ':' ||
         coalesce(v.tax_region, '') || ':' || v.rate_milli || ':' || coalesce((SELECT to_char(i.issued_at AT TIME ZONE
           i.time_zone, 'YYYY"-Q"Q') FROM invoices i WHERE v.kind <> 'invoice' AND i.charge_id = v.charge_id
           AND i.kind = 'invoice'), ''), v.currency, a.figure, 1, a.amount
       FROM invoices v CROSS JOIN LATERAL (VALUES ('invoiced_net', v.net_minor), ('invoiced_tax', v.tax_minor))
         AS a (figure, amount) WHERE v.merchant_id = $1) f
     GROUP BY 1, 2, 3, 4 HAVING sum(count) <> 0 OR sum(amount) <> 0`,
    [id],
  );
  return rows;
}

/** A purchase by another customer of the merchant. */
export async function payAsOther(app: TestApp, shop: Shop): Promise<Person> {
  const consumer = await createConsumer(app, shop.merchant);
  await paid(app, { ...shop, consumer });
  return consumer;
}

export interface InvoicePage {
  total: number;
  next_cursor: string | null;
  collection: { number: string; trx_token: string }[];
}
