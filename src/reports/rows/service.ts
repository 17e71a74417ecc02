import { type z } from 'zod';
import { type Caller } from '../../kit/auth';
import { csvLine } from '../../kit/csv';
import { Answer, type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { pageRange } from '../../kit/page';
import { toMajor } from '../../subscriptions/billing/money';
import { listMovements as listLedger } from '../ledger/service';
import { startOfDay, type ReportOwner } from '../series/service';
import {
  countTransitions,
  selectTransactions,
  selectTransitions,
  sumTransactions,
  type Place,
  type TransactionFilter,
  type TransactionRow,
} from './model';
import { presentMovement, presentTransaction, presentTransition } from './presenter';
import { type MovementsQuery, type TransactionsQuery, type TransitionsQuery } from './schemas';

/** The rows behind the numbers: each report says which (`definitions`). */

export type TransactionsInput = z.output<typeof TransactionsQuery>;

/** The ledger's lines, newest first, and what they come to by currency. */
export async function listMovements(caller: Caller, input: z.output<typeof MovementsQuery>) {
  const { page, limit, offset } = pageRange(input);
  const filter = {
    ...scopeOf(caller, input),
    kinds: input.kind,
    countryIso: input.country_iso,
    cohort: input.cohort,
    subscriptionToken: input.subscription_id,
  };
  const { rows, sums, total } = await listLedger(filter, limit, offset);
  const collection = rows.map((row) =>
    presentMovement(row, { amount: toMajor(row.amountMinor, row.currency), mrr: toMajor(row.mrrMinor, row.currency) }),
  );
  return { total, page, offset, limit, collection, sums: byCurrency(sums) };
}

/** What happened to subscriptions, newest first. */
export async function listTransitions(caller: Caller, input: z.output<typeof TransitionsQuery>) {
  const { page, limit, offset } = pageRange(input);
  const filter = { ...scopeOf(caller, input), what: input.what, state: input.state };
  const [rows, total] = await Promise.all([selectTransitions(filter, limit, offset), countTransitions(filter)]);
  return { total, page, offset, limit, collection: rows.map(presentTransition) };
}

/** What was paid and given back, newest first, and what it comes to by currency. */
export async function listTransactions(caller: Caller, input: TransactionsInput) {
  const { page, limit, offset } = pageRange(input);
  const filter = transactionFilter(caller, input);
  const [rows, sums] = await Promise.all([selectTransactions(filter, { limit, offset }), sumTransactions(filter)]);
  const total = sums.reduce((count, sum) => count + sum.count, 0);
  return { total, page, offset, limit, collection: rows.map(present), sums: byCurrency(sums) };
}

/** A page, or all of them as CSV for who asks for that. */
export async function listOrStreamTransactions(
  caller: Caller,
  input: TransactionsInput,
  { accept }: Pick<RequestFacts, 'accept'>,
) {
  const isCsv = input.format === 'csv' || (input.format === undefined && accept?.startsWith('text/csv') === true);
  if (!isCsv) return listTransactions(caller, input);
  const stream = streamTransactions(caller, input);
  return new Answer('', { ...csvAnswer('transactions'), stream });
}

/** How a file of CSV is answered. */
export const csvAnswer = (name: string) => ({
  contentType: 'text/csv; charset=utf-8',
  headers: { 'Content-Disposition': `attachment; filename="${name}.csv"` },
});

const perRead = 1_000;

/** Line by line, read in parts: each goes on where the last one ended, so memory does not grow with the list. */
export async function* streamTransactions(caller: ReportOwner, input: TransactionsInput): AsyncGenerator<string> {
  const filter = transactionFilter(caller, input);
  yield csvLine(transactionColumns);
  let after: Place | undefined;
  for (;;) {
    const rows = await selectTransactions(filter, { limit: perRead, after });
    yield rows.map((row) => csvLine(Object.values(inIsoTime(present(row))))).join('');
    const last = rows.at(-1);
    if (rows.length < perRead || !last) return;
    after = { at: last.exactAt, id: last.id };
  }
}

const transactionColumns = [
  ...['id', 'type', 'kind', 'trx_token', 'transaction_token', 'account_id', 'email', 'item_id', 'item_title'],
  ...['access_fee_id', 'payment_method', 'voucher_code', 'country_iso', 'currency', 'amount', 'created_at'],
];

function inIsoTime<Row extends { created_at: number }>(row: Row) {
  return { ...row, created_at: new Date(row.created_at * 1000).toISOString() };
}

function present(row: TransactionRow) {
  return presentTransaction(row, toMajor(row.amountMinor, row.currency));
}

function transactionFilter(caller: ReportOwner, input: TransactionsInput): TransactionFilter {
  return {
    ...scopeOf(caller, input),
    type: input.type,
    accessFeeId: input.access_fee_id,
    countryIso: input.country_iso,
    paymentMethod: input.payment_method,
    voucherCode: input.voucher_code,
    kind: input.kind,
  };
}

const dayMs = 86_400_000;

interface ScopeInput {
  from?: Date | undefined;
  to?: Date | undefined;
  currency?: string | undefined;
  item_id?: number | undefined;
  account_id?: number | undefined;
}

function scopeOf(
  { merchantId }: ReportOwner,
  { from, to, currency, item_id: itemId, account_id: accountId }: ScopeInput,
) {
  if (from && to && to < from)
    throw new AppError('invalid_input', { errors: { to: 'The to must not be before the from.' } });
  return {
    merchantId,
    from: from && startOfDay(from),
    to: to && new Date(startOfDay(to).getTime() + dayMs),
    currency,
    itemId,
    accountId,
  };
}

function byCurrency(sums: { currency: string; amountMinor: number }[]): Record<string, number> {
  return Object.fromEntries(sums.map(({ currency, amountMinor }) => [currency, toMajor(amountMinor, currency)]));
}
