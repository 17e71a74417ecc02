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
export async function moveInvoices(
  { pool }: Pick<TestApp, 'pool'>,
  { id }: Person,
  issuedAt: string,
  kind = '%',
): Promise<void> {
  await pool.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     UPDATE invoices SET issued_at = '${issuedAt}' WHERE merchant_id = ${id} AND kind LIKE '${kind}'; COMMIT`,
  );
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
