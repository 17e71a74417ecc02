import { type Transaction } from '../../adapters/postgres/connection';
import { query, statement } from '../../adapters/postgres/statement';
import { type Account, type EntryRow } from '../books/books.model';

/** How the accounts of a merchant are numbered: those that have no own number have that of the chart. */
export interface Numbering {
  chart: 'skr03' | 'skr04';
  accountLength: number;
  accountNumbers: Partial<Record<Account, string | undefined>>;
}

export interface DatevNumbers extends Numbering {
  consultantNumber: number;
  clientNumber: number;
  fiscalYearMonth: number;
}

const numbersStatement = statement<DatevNumbers>(
  'datev_settings',
  `SELECT consultant_number AS "consultantNumber", client_number AS "clientNumber", chart,
     account_length AS "accountLength", fiscal_year_month AS "fiscalYearMonth", account_numbers AS "accountNumbers"
   FROM datev_settings WHERE merchant_id = $1`,
);

/** Undefined until the merchant has set them. */
export async function findNumbers(merchantId: number): Promise<DatevNumbers | undefined> {
  const [numbers] = await numbersStatement([merchantId]);
  return numbers;
}

const saveStatement = statement(
  'datev_settings_save',
  `INSERT INTO datev_settings (merchant_id, consultant_number, client_number, chart, account_length, fiscal_year_month,
     account_numbers)
   VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (merchant_id) DO UPDATE SET consultant_number = excluded.consultant_number,
     client_number = excluded.client_number, chart = excluded.chart, account_length = excluded.account_length,
     fiscal_year_month = excluded.fiscal_year_month, account_numbers = excluded.account_numbers, updated_at = now()`,
);

export async function saveNumbers(
  merchantId: number,
  numbers: DatevNumbers,
  inTransaction: Transaction,
): Promise<void> {
  const { consultantNumber, clientNumber, chart, accountLength, fiscalYearMonth, accountNumbers } = numbers;
  const own = JSON.stringify(accountNumbers);
  await saveStatement(
    [merchantId, consultantNumber, clientNumber, chart, accountLength, fiscalYearMonth, own],
    inTransaction,
  );
}

/** An entry with the number of its invoice, credit note or cancellation. */
export interface BatchRow extends Omit<EntryRow, 'bookedAt'> {
  /** Null if there is no document. */
  documentNumber: string | null;
}

/** The range of a file. Days are `YYYY-MM-DD`, both inclusive. */
export interface BatchFilter {
  merchantId: number;
  from: string;
  to: string;
  currency: string;
}

/** Oldest first. `after`: only entries with a larger id. */
export function selectBatch(
  { merchantId, from, to, currency }: BatchFilter,
  limit: number,
  after: number | undefined,
): Promise<BatchRow[]> {
  return query<BatchRow>(
    `SELECT j.id::float8 AS id, to_char(j.day, 'YYYY-MM-DD') AS day, j.kind, j.about, c.trx_token AS "trxToken",
       j.debit_account AS "debitAccount", j.credit_account AS "creditAccount", j.amount_minor AS "amountMinor", j.currency,
       coalesce(r.number, d.number, i.number) AS "documentNumber"
     FROM journal_entries j LEFT JOIN charges c ON c.id = j.charge_id
       LEFT JOIN invoices i ON i.charge_id = j.charge_id AND i.kind = 'invoice'
       LEFT JOIN invoices r ON r.refund_id = CASE WHEN j.kind IN ('refund', 'refund_failed')
         THEN split_part(j.about, ':', 2)::int END
         AND r.kind = CASE j.kind WHEN 'refund' THEN 'credit_note' ELSE 'cancellation' END
       LEFT JOIN invoices d ON d.dispute_tax_id = CASE WHEN j.about LIKE 'dispute-tax:%'
         THEN split_part(j.about, ':', 2)::int END
     WHERE j.merchant_id = $1 AND j.day BETWEEN $2 AND $3 AND j.currency = $4 AND ($5::bigint IS NULL OR j.id > $5)
     ORDER BY j.id LIMIT $6`,
    [merchantId, from, to, currency, after ?? null, limit],
  );
}
