import { query, statement } from '../adapters/postgres/statement';
import { type Buyer, type InvoiceLine, type NewInvoice, type Seller } from './facts.model';

/** An issued document. Amounts are in minor units; those of a credit note are negative. */
export interface IssuedInvoice {
  id: number;
  kind: NewInvoice['kind'];
  number: string;
  isTest: boolean;
  issuedAt: Date;
  /** The seller's time zone, by which days are named. */
  timeZone: string;
  /** The number of the document that this one corrects; null for an invoice. */
  corrects: string | null;
  trxToken: string;
  accountId: number;
  currency: string;
  netMinor: number;
  taxMinor: number;
  grossMinor: number;
  /** Thousandths of a percent. */
  rateMilli: number;
  taxCountry: string;
  treatment: string;
  seller: Seller;
  lines: InvoiceLine[];
  /** Null if the buyer was deleted after the retention. */
  buyer: Buyer | null;
}

/** Without an account, the documents of all customers of a merchant. `to` is exclusive. */
export interface InvoiceFilter {
  merchantId: number;
  accountId: number | undefined;
  kind: NewInvoice['kind'] | undefined;
  /** A part of the number, or of the buyer's name or address. */
  search: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
}

const columns = `v.id, v.kind, v.number, v.is_test AS "isTest", v.issued_at AS "issuedAt", v.time_zone AS "timeZone", o.number AS corrects,
  coalesce(r.token, c.trx_token) AS "trxToken", c.account_id AS "accountId", v.currency, v.net_minor AS "netMinor",
  v.tax_minor AS "taxMinor", v.gross_minor AS "grossMinor", v.rate_milli AS "rateMilli",
  v.tax_country AS "taxCountry", v.treatment, v.seller, v.lines,
  CASE WHEN b.invoice_id IS NOT NULL THEN to_json(b) END AS buyer`;

const tables = `invoices v JOIN charges c ON c.id = v.charge_id LEFT JOIN refunds r ON r.id = v.refund_id
  LEFT JOIN invoices o ON o.id = v.corrects_id LEFT JOIN invoice_buyers b ON b.invoice_id = v.id`;

// Both searches have an index of the parts of texts, which PostgreSQL cannot use behind a policy (`290-fence.sql`). A condition
// that is absent is not in the text, because PostgreSQL plans `OR` with a subquery as a filter of all documents.
const isFound = `v.id IN (SELECT n.id FROM unfenced.invoices n WHERE n.merchant_id = $1 AND n.number ILIKE $4
  UNION SELECT b.invoice_id FROM unfenced.invoice_buyers b
  WHERE b.merchant_id = $1 AND (b.email ILIKE $4 OR b.name ILIKE $4))`;

const wantedOf = ({ search, accountId }: InvoiceFilter) => `v.merchant_id = $1
  AND ${accountId === undefined ? '$2::int IS NULL' : 'c.account_id = $2'} AND ($3::text IS NULL OR v.kind = $3)
  AND ${search === undefined ? '$4::text IS NULL' : isFound}
  AND ($5::timestamptz IS NULL OR v.issued_at >= $5) AND ($6::timestamptz IS NULL OR v.issued_at < $6)`;

const valuesOf = ({ merchantId, accountId, kind, search, from, to }: InvoiceFilter) => [
  ...[merchantId, accountId ?? null, kind ?? null],
  ...[search === undefined ? null : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`, from ?? null, to ?? null],
];

interface Range {
  limit: number;
  offset: number;
  /** Continues after the document with this id. */
  after: number | undefined;
  /** The first document first, instead of the last. */
  isAscending: boolean;
}

/** In the order of their issue, which is that of their ids. */
export function listIssued(
  filter: InvoiceFilter,
  { limit, offset, after, isAscending }: Range,
): Promise<IssuedInvoice[]> {
  const [follows, direction] = isAscending ? ['>', 'ASC'] : ['<', 'DESC'];
  const text = `SELECT ${columns} FROM ${tables} WHERE ${wantedOf(filter)} AND ($7::int IS NULL OR v.id ${follows} $7)
    ORDER BY v.id ${direction} LIMIT $8 OFFSET $9`;
  return query<IssuedInvoice>(text, [...valuesOf(filter), after ?? null, limit, offset]);
}

export async function countIssued(filter: InvoiceFilter): Promise<number> {
  const charges = filter.accountId === undefined ? '' : 'JOIN charges c ON c.id = v.charge_id';
  const text = `SELECT count(*)::int AS total FROM invoices v ${charges} WHERE ${wantedOf(filter)}`;
  const [row] = await query<{ total: number }>(text, valuesOf(filter));
  return row?.total ?? 0;
}

const numberStatement = statement<IssuedInvoice>(
  'invoice_by_number',
  `SELECT ${columns} FROM ${tables}
   WHERE v.merchant_id = $1 AND ($2::int IS NULL OR c.account_id = $2) AND v.number = $3`,
);

const tokenStatement = statement<IssuedInvoice>(
  'invoice_by_token',
  `SELECT ${columns} FROM ${tables}
   WHERE v.merchant_id = $1 AND ($2::int IS NULL OR c.account_id = $2)
     AND (v.kind = 'invoice' AND c.trx_token = $3 OR v.kind = 'credit_note' AND r.token = $3)`,
);

/** The invoice of a charge or the credit note of a refund, by the token of the charge or the refund. */
export async function findIssuedFor(
  merchantId: number,
  accountId: number | undefined,
  trxToken: string,
): Promise<IssuedInvoice | undefined> {
  const [row] = await tokenStatement([merchantId, accountId ?? null, trxToken]);
  return row;
}

/** Without `accountId`, a document of any customer of the merchant. */
export async function findIssued(
  merchantId: number,
  accountId: number | undefined,
  number: string,
): Promise<IssuedInvoice | undefined> {
  const [row] = await numberStatement([merchantId, accountId ?? null, number]);
  return row;
}
