import { type z } from 'zod';
import { merchantNow } from '../../adapters/clock';
import { logger } from '../../adapters/logger';
import { toMajor } from '../../billing/money';
import { type Caller } from '../../kit/auth';
import { inParts, shownParts } from '../../kit/csv';
import { byId, cursorRange, nextCursor } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
import { type FigureRow, readFigures } from '../figures';
import { asReport, asReportPart } from '../replicas';
import { dayText, latestDay, readRange } from '../series';
import {
  type DeferredRow,
  type EntryFilter,
  type EntryRow,
  listSellers,
  recogniseRevenue,
  selectEntries,
  sumUnearned,
} from './books.model';
import {
  accountClasses,
  accounts,
  type DeferredRevenueQuery,
  type JournalQuery,
  type TrialBalance,
  type TrialBalanceQuery,
} from './books.schemas';

/** The double-entry journal and what is read from it. Triggers write the entries with each movement of money. */

const dayMs = 86_400_000;

/** Books the revenue of the days that have passed, for all merchants. Reports do the same for theirs, so they are never late. */
export async function recogniseAll(): Promise<void> {
  for (const merchantId of await listSellers()) {
    try {
      await recogniseRevenue(merchantId);
    } catch (error) {
      logger.error({ merchantId, reason: (error as Error).message }, 'the revenue of a merchant could not be booked');
    }
  }
}

type TrialRow = z.output<typeof TrialBalance>['collection'][number];

/** Each account with its balance before and after the range, and its debits and credits in the range. */
export async function getTrialBalance(caller: Caller, input: z.output<typeof TrialBalanceQuery>) {
  const { merchantId } = caller;
  const { from, to, end } = await readRange(caller, input);
  return afterRecognition(merchantId, async () => {
    const wanted = { merchantId, figures: ['journal'], dimension: 'transfer', interval: 'none' } as const;
    const [before, during] = await Promise.all([
      readFigures({ ...wanted, to: from, currency: input.currency }),
      readFigures({ ...wanted, from, to: end, currency: input.currency }),
    ]);
    const currencies = [...new Set([...before, ...during].map(({ currency }) => currency))].sort();
    const collection = currencies.flatMap((currency) =>
      accounts.flatMap((account) => lineOf(account, currency, before, during)),
    );
    return { from, to, collection };
  });
}

/** The replica may not have what this request has just booked, so the report is then read from the primary. */
async function afterRecognition<Report extends object>(merchantId: number, work: () => Promise<Report>) {
  return (await recogniseRevenue(merchantId)) > 0 ? work() : asReport(work);
}

function lineOf(account: TrialRow['account'], currency: string, before: FigureRow[], during: FigureRow[]): TrialRow[] {
  const earlier = sidesOf(account, currency, before);
  const { debit, credit } = sidesOf(account, currency, during);
  const opening = earlier.debit - earlier.credit;
  if (opening === 0 && debit === 0 && credit === 0) return [];
  const major = (minor: number) => toMajor(minor, currency);
  const closing = opening + debit - credit;
  const amounts = { opening: major(opening), debit: major(debit), credit: major(credit), closing: major(closing) };
  return [{ account, class: accountClasses[account], currency, ...amounts }];
}

/** The debits and credits of an account. The key of a sum is `kind:debit:credit`. */
function sidesOf(account: TrialRow['account'], currency: string, rows: readonly FigureRow[]) {
  let debit = 0;
  let credit = 0;
  for (const row of rows) {
    if (row.currency !== currency) continue;
    const [, debited, credited] = row.key.split(':');
    if (debited === account) debit += row.amountMinor;
    if (credited === account) credit += row.amountMinor;
  }
  return { debit, credit };
}

/** Lists the entries, newest first. */
export async function listJournal({ merchantId }: Caller, input: z.output<typeof JournalQuery>) {
  const { page, limit, offset, after } = cursorRange(input);
  return afterRecognition(merchantId, async () => {
    const filter = filterOf(merchantId, input);
    const [rows, total] = await Promise.all([
      selectEntries(filter, { limit, offset, before: after?.id }),
      countEntries(filter),
    ]);
    const next_cursor = nextCursor(rows, { limit }, byId);
    return { total, page, offset, limit, next_cursor, collection: rows.map(present) };
  });
}

type JournalInput = Omit<z.output<typeof JournalQuery>, 'page' | 'size' | 'limit' | 'cursor'>;

/** Entries are counted in the sums by day: a year can have millions of them. */
export async function countEntries({ merchantId, from, to, currency, kind, account }: EntryFilter): Promise<number> {
  const rows = await readFigures({
    merchantId,
    figures: ['journal'],
    dimension: 'transfer',
    interval: 'none',
    from: from && dayText(from),
    to: to === undefined || to > latestDay ? 'infinity' : dayText(new Date(to.getTime() + dayMs)),
    currency,
  });
  const isWanted = ({ key }: FigureRow) => {
    const [entryKind, ...pair] = key.split(':');
    return (kind === undefined || entryKind === kind) && (account === undefined || pair.includes(account));
  };
  return rows.filter(isWanted).reduce((sum, { count }) => sum + count, 0);
}

/** Reads all entries in parts, for a file. */
export async function readJournal({ merchantId }: Caller, input: JournalInput) {
  const hasBooked = (await recogniseRevenue(merchantId)) > 0;
  const filter = filterOf(merchantId, input);
  const select = (limit: number, before: number | undefined) => selectEntries(filter, { limit, before });
  const read = hasBooked ? select : asReportPart(select);
  return shownParts(
    inParts(read, ({ id }) => id),
    present,
  );
}

const filterOf = (
  merchantId: number,
  { from, to, currency, entry_kind: kind, account }: JournalInput,
): EntryFilter => ({
  merchantId,
  from,
  to,
  currency,
  kind,
  account,
});

function present({ trxToken, debitAccount, creditAccount, amountMinor, bookedAt, ...row }: EntryRow) {
  const amount = toMajor(amountMinor, row.currency);
  const accounts = { debit_account: debitAccount, credit_account: creditAccount };
  return { ...row, trx_token: trxToken ?? '', ...accounts, amount, booked_at: unixSeconds(bookedAt) };
}

/** The deferred revenue at the end of a day, and the months in which it becomes revenue. */
export async function getDeferredRevenue({ merchantId }: Caller, input: z.output<typeof DeferredRevenueQuery>) {
  const yesterday = new Date((await merchantNow(merchantId)).getTime() - dayMs);
  const to = dayText(input.to ?? yesterday);
  const rows = await sumUnearned(merchantId, to, input.currency);
  const currencies = [...new Set(rows.map(({ currency }) => currency))];
  return { to, collection: currencies.map((currency) => deferredIn(currency, rows)) };
}

function deferredIn(currency: string, rows: readonly DeferredRow[]) {
  const own = rows.filter((row) => row.currency === currency && row.amountMinor !== 0);
  const deferredMinor = own.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const months = own.map(({ month, amountMinor }) => ({ month, amount: toMajor(amountMinor, currency) }));
  return { currency, deferred: toMajor(deferredMinor, currency), months };
}
