import { type z } from 'zod';
import { now } from '../../adapters/clock';
import { currencyExponent, isCurrency } from '../../billing/money';
import { type Caller } from '../../kit/auth';
import { inParts } from '../../kit/csv';
import { Answer } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { countEntries } from '../books/books';
import { recogniseRevenue } from '../books/books.model';
import { csvAnswer } from '../rows';
import { readRange } from '../series';
import { batchHead, batchLine } from './batch';
import { numberOf } from './charts';
import { type BatchFilter, type DatevNumbers, findNumbers, selectBatch } from './datev.model';
import { type DatevQuery } from './datev.schemas';

/** DATEV takes no more rows in one posting batch. */
const rowsMax = 99_999;

/** Exports the entries of some days of one fiscal year as a posting batch. It is streamed while it is read. */
export async function exportDatev(caller: Caller, { currency = 'EUR', ...input }: z.output<typeof DatevQuery>) {
  const { merchantId } = caller;
  const { from, to } = await readRange(caller, input);
  const numbers = await findNumbers(merchantId);
  if (!numbers) throw refused('consultant_number', 'must be set before an export, with PUT /reporting/books/datev.');
  refuseCurrency(currency);
  const yearStart = startOfYear(from, numbers);
  if (yearStart !== startOfYear(to, numbers))
    throw refused('to', `must be in the fiscal year of the from, which begins on ${yearStart}.`);
  await recogniseRevenue(merchantId);
  const rows = await countEntries({ merchantId, from: new Date(from), to: new Date(to), currency });
  if (rows > rowsMax) throw refused('to', `must be earlier: DATEV takes ${rowsMax} rows, and these days have ${rows}.`);
  const filter = { merchantId, from, to, currency };
  const stream = linesOf(numbers, filter, yearStart);
  return new Answer('', { ...csvAnswer(`EXTF_Buchungsstapel_${from}_${to}`), stream });
}

const refused = (field: string, rule: string) =>
  new AppError('invalid_input', { errors: { [field]: `The ${field} ${rule}` } });

/** An amount in the format has two decimals. */
function refuseCurrency(currency: string): void {
  if (!isCurrency(currency)) throw refused('currency', 'must be a code of ISO 4217.');
  if (currencyExponent(currency) > 2) throw refused('currency', 'must have at most two decimals.');
}

/** The first day of the fiscal year of a day. */
function startOfYear(day: string, { fiscalYearMonth }: Pick<DatevNumbers, 'fiscalYearMonth'>): string {
  const month = String(fiscalYearMonth).padStart(2, '0');
  const year = Number(day.slice(0, 4)) - (day.slice(5, 7) < month ? 1 : 0);
  return `${year}-${month}-01`;
}

async function* linesOf(numbers: DatevNumbers, filter: BatchFilter, yearStart: string): AsyncGenerator<string> {
  yield batchHead({ ...numbers, ...filter, yearStart, createdAt: now() });
  const read = (limit: number, after: number | undefined) => selectBatch(filter, limit, after);
  for await (const rows of inParts(read, ({ id }) => id)) {
    const lines = rows.map((row) => {
      const [debit, credit] = [numberOf(numbers, row.debitAccount), numberOf(numbers, row.creditAccount)];
      // Two accounts of the journal can have one number. An entry between them moves nothing there.
      return debit === credit ? '' : batchLine(row, { debit, credit });
    });
    yield lines.join('');
  }
}
