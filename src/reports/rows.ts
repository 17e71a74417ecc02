import { type z } from 'zod';
import { type Caller } from '../kit/auth';
import { csvHead, csvLine, inParts, shownParts } from '../kit/csv';
import { Answer, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { cursorRange, exactPlace, nextCursor } from '../kit/page';
import { requireRecentFactor } from '../accounts/secondFactors/recentFactors';
import { toMajor } from '../billing/money';
import {
  listMovements as listLedger,
  readMovementsAfter,
  type MovementRow,
  type MovementCursor,
} from '../ledger/ledger';
import { asReport, asReportPart } from './replicas';
import { startOfDay, type ReportOwner } from './series';
import {
  selectTransactions,
  selectTransitions,
  sumTransactions,
  sumTransitions,
  type TransactionFilter,
  type TransactionRow,
  type TransitionRow,
} from './rows.model';
import { presentMovement, presentTransaction, presentTransition } from './rows.presenter';
import { type MovementsQuery, type TransactionsQuery, type TransitionsQuery } from './rows.schemas';

/** The rows behind the figures. Each definition names its rows. */

export type TransactionsInput = z.output<typeof TransactionsQuery>;

/** Lists the ledger's lines, newest first, with their sums by currency. */
export async function listMovements(caller: Caller, input: z.output<typeof MovementsQuery>) {
  const { page, limit, offset, after } = cursorRange(input);
  const { rows, sums, total } = await listLedger(ledgerFilter(caller, input), {
    limit,
    offset,
    after: exactPlace(after),
  });
  const counts = Object.fromEntries(
    sums.map(({ currency, subscriptions, customers }) => [currency, { subscriptions, customers }]),
  );
  const next_cursor = nextCursor(rows, { limit }, placeOf);
  return { total, page, offset, limit, next_cursor, collection: rows.map(inMajor), sums: byCurrency(sums), counts };
}

type MovementsInput = Omit<z.output<typeof MovementsQuery>, 'page' | 'size' | 'limit' | 'cursor'>;

/** Reads all lines in parts, for a file. */
export function readMovements(caller: Caller, input: MovementsInput) {
  const filter = ledgerFilter(caller, input);
  const read = asReportPart((limit: number, after: MovementCursor | undefined) =>
    readMovementsAfter(filter, limit, after),
  );
  return shownParts(inParts(read, placeOf), inMajor);
}

function ledgerFilter(caller: Caller, input: MovementsInput) {
  return {
    ...scopeOf(caller, input),
    kinds: input.kind,
    isFirst: input.first,
    changesCustomers: input.customers,
    countryIso: input.country_iso,
    cohort: input.cohort,
    subscriptionToken: input.subscription_id,
  };
}

function inMajor(row: MovementRow) {
  const { amountMinor, mrrMinor, currency } = row;
  return presentMovement(row, { amount: toMajor(amountMinor, currency), mrr: toMajor(mrrMinor, currency) });
}

const placeOf = ({ exactAt: at, id }: { exactAt: string; id: number }): MovementCursor => ({ at, id });

/** Lists transitions of subscriptions, newest first, with their sums by currency. */
export async function listTransitions(caller: Caller, input: z.output<typeof TransitionsQuery>) {
  const { page, limit, offset, after } = cursorRange(input);
  const filter = transitionFilter(caller, input);
  const [rows, sums] = await Promise.all([
    selectTransitions(filter, { limit, offset, after: exactPlace(after) }),
    sumTransitions(filter),
  ]);
  const total = sums.reduce((count, sum) => count + sum.count, 0);
  const change = sums.reduce((all, sum) => all + sum.stateChange, 0);
  const whole = { sums: byCurrency(sums), state_change: input.state === undefined ? null : change };
  const next_cursor = nextCursor(rows, { limit }, placeOf);
  return { total, page, offset, limit, next_cursor, collection: rows.map(presentStep), ...whole };
}

function presentStep(row: TransitionRow) {
  return presentTransition(row, toMajor(row.amountMinor, row.currency));
}

type TransitionsInput = Omit<z.output<typeof TransitionsQuery>, 'page' | 'size' | 'limit' | 'cursor'>;

/** Reads all transitions in parts, for a file. */
export function readTransitions(caller: Caller, input: TransitionsInput) {
  const filter = transitionFilter(caller, input);
  const read = asReportPart((limit: number, after: MovementCursor | undefined) =>
    selectTransitions(filter, { limit, after }),
  );
  return shownParts(inParts(read, placeOf), presentStep);
}

const transitionFilter = (caller: Caller, input: TransitionsInput) => ({
  ...scopeOf(caller, input),
  what: input.what,
  state: input.state,
});

/** Lists payments and refunds, newest first, with their sums by currency. */
export async function listTransactions(caller: Caller, input: TransactionsInput) {
  const { page, limit, offset, after } = cursorRange(input);
  const filter = transactionFilter(caller, input);
  const [rows, sums] = await Promise.all([
    selectTransactions(filter, { limit, offset, after: exactPlace(after) }),
    sumTransactions(filter),
  ]);
  const total = sums.reduce((count, sum) => count + sum.count, 0);
  const next_cursor = nextCursor(rows, { limit }, placeOf);
  return { total, page, offset, limit, next_cursor, collection: rows.map(present), sums: byCurrency(sums) };
}

/** A page, or all rows as CSV if the request asks for that. */
export async function listOrStreamTransactions(
  caller: Caller,
  input: TransactionsInput,
  { accept }: Pick<RequestFacts, 'accept'>,
) {
  const isCsv = input.format === 'csv' || (input.format === undefined && accept?.startsWith('text/csv') === true);
  if (!isCsv) return asReport(() => listTransactions(caller, input));
  await requireRecentFactor(caller);
  const stream = streamTransactions(caller, input, asReportPart);
  return new Answer('', { ...csvAnswer('transactions'), stream });
}

/** The response headers of a CSV file. */
export const csvAnswer = (name: string) => ({
  contentType: 'text/csv; charset=utf-8',
  headers: { 'Content-Disposition': `attachment; filename="${name}.csv"` },
});

type TransactionParts = (limit: number, after: MovementCursor | undefined) => Promise<TransactionRow[]>;

/**
 * Streams CSV lines, read in parts. The query is validated before the first line. `from` is the source of the parts, by
 * default the primary: a mailed report is never read again.
 */
export function streamTransactions(
  caller: ReportOwner,
  input: TransactionsInput,
  from: (read: TransactionParts) => TransactionParts = (read) => read,
): AsyncGenerator<string> {
  const filter = transactionFilter(caller, input);
  const read = from((limit, after) => selectTransactions(filter, { limit, after }));
  return transactionLines(shownParts(inParts(read, placeOf), present));
}

async function* transactionLines(parts: AsyncIterable<ReturnType<typeof present>[]>): AsyncGenerator<string> {
  yield csvHead(transactionColumns);
  for await (const rows of parts) yield rows.map((row) => csvLine(Object.values(inIsoTime(row)))).join('');
}

const transactionColumns = [
  ...['id', 'type', 'kind', 'trx_token', 'transaction_token', 'account_id', 'email', 'item_id', 'item_title'],
  ...['access_fee_id', 'payment_method', 'voucher_code', 'country_iso', 'currency', 'amount', 'created_at'],
  'is_amount_assumed',
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
