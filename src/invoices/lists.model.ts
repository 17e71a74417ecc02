import { query, statement } from '../adapters/postgres/statement';
import { totalOf } from '../adapters/postgres/totals';
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
  /** When the register confirmed the buyer's tax number, for the tax of the charge; null without a confirmation. */
  confirmedAt: Date | null;
  /** The consultation number of the register; empty without one. */
  consultation: string;
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
  v.tax_country AS "taxCountry", v.treatment, (x.evidence->>'confirmedAt')::timestamptz AS "confirmedAt",
  coalesce(x.evidence->>'consultation', '') AS consultation, v.seller, v.lines,
  CASE WHEN b.invoice_id IS NOT NULL THEN to_json(b) END AS buyer`;

const joined = `JOIN charges c ON c.id = v.charge_id LEFT JOIN charge_taxes x ON x.charge_id = v.charge_id
  LEFT JOIN refunds r ON r.id = v.refund_id
  LEFT JOIN invoices o ON o.id = v.corrects_id LEFT JOIN invoice_buyers b ON b.invoice_id = v.id`;

// Both searches have an index of the parts of texts, which PostgreSQL cannot use behind a policy (`290-fence.sql`). They are
// evaluated first and once, because PostgreSQL may otherwise take them for a filter of all documents.
const foundText = `SELECT n.id FROM unfenced.invoices n WHERE n.merchant_id = $1 AND n.number ILIKE $4
  UNION SELECT b.invoice_id FROM unfenced.invoice_buyers b
  WHERE b.merchant_id = $1 AND (b.email ILIKE $4 OR b.name ILIKE $4)`;

/** The documents of a filter. Without a search or an account, one index has every column that is read. */
function wantedOf({ search, accountId }: InvoiceFilter): string {
  const [before, found] =
    search === undefined ? ['', ''] : [`WITH f AS MATERIALIZED (${foundText})`, 'JOIN f ON f.id = v.id'];
  const charges = accountId === undefined ? '' : 'JOIN charges c ON c.id = v.charge_id';
  return `${before} SELECT v.id, v.issued_at FROM invoices v ${found} ${charges} WHERE v.merchant_id = $1
    AND ${accountId === undefined ? '$2::int IS NULL' : 'c.account_id = $2'} AND ($3::text IS NULL OR v.kind = $3)
    ${search === undefined ? 'AND $4::text IS NULL' : ''}
    AND ($5::timestamptz IS NULL OR v.issued_at >= $5) AND ($6::timestamptz IS NULL OR v.issued_at < $6)`;
}

const valuesOf = ({ merchantId, accountId, kind, search, from, to }: InvoiceFilter) => [
  ...[merchantId, accountId ?? null, kind ?? null],
  ...[search === undefined ? null : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`, from ?? null, to ?? null],
];

/** A document of a list. */
export interface ListedInvoice extends IssuedInvoice {
  /** `issuedAt` to the microsecond, as PostgreSQL writes it. */
  exactAt: string;
  /** The number of all found documents; null without a search. */
  found: number | null;
}

/** A position in a list. */
export interface InvoicePlace {
  at: string;
  id: number;
}

interface Part {
  limit: number;
  offset?: number;
  /** Continues after the document at this place. */
  after: InvoicePlace | undefined;
  /** The first document first, instead of the last. */
  isAscending: boolean;
}

/** In the order of their issue. The part is chosen before other tables are read. */
export function listIssued(
  filter: InvoiceFilter,
  { limit, offset = 0, after, isAscending }: Part,
): Promise<ListedInvoice[]> {
  const [follows, direction] = isAscending ? ['>', 'ASC'] : ['<', 'DESC'];
  const isSearch = filter.search !== undefined;
  const text = `WITH wanted AS ${isSearch ? '' : 'NOT'} MATERIALIZED (${wantedOf(filter)}), part AS (
      SELECT w.id FROM wanted w WHERE $7::timestamptz IS NULL OR (w.issued_at, w.id) ${follows} ($7, $8::int)
      ORDER BY w.issued_at ${direction}, w.id ${direction} LIMIT $9 OFFSET $10
    )
    SELECT ${columns}, v.issued_at::text AS "exactAt", ${isSearch ? '(SELECT count(*)::int FROM wanted)' : 'NULL'} AS found
    FROM part JOIN invoices v ON v.id = part.id ${joined}
    ORDER BY v.issued_at ${direction}, v.id ${direction}`;
  return query<ListedInvoice>(text, [...valuesOf(filter), after?.at ?? null, after?.id ?? null, limit, offset]);
}

/** A page, and the number of documents on all pages. */
export async function findIssuedPage(
  filter: InvoiceFilter,
  page: Part & { offset: number },
): Promise<{ rows: ListedInvoice[]; total: number }> {
  const rows = await listIssued(filter, page);
  const { limit, offset, after } = page;
  const values = valuesOf(filter);
  const key = `invoices ${JSON.stringify(values)}`;
  const total = await totalOf(key, { limit, offset, found: rows.length, isAfterRow: after !== undefined }, async () => {
    const text = `SELECT count(*)::int AS total FROM (${wantedOf(filter)}) w`;
    return rows[0]?.found ?? (await query<{ total: number }>(text, values))[0]?.total ?? 0;
  });
  return { rows, total };
}

const numberStatement = statement<IssuedInvoice>(
  'invoice_by_number',
  `SELECT ${columns} FROM invoices v ${joined}
   WHERE v.merchant_id = $1 AND ($2::int IS NULL OR c.account_id = $2) AND v.number = $3`,
);

const tokenStatement = statement<IssuedInvoice>(
  'invoice_by_token',
  `SELECT ${columns} FROM invoices v ${joined}
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
