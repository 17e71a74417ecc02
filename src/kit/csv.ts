import type * as CsvParse from 'csv-parse/sync';
import { lazily } from './lazily';

export type CsvValue = string | number | boolean | null;

/** The start of a formula. Some spreadsheet programs leave out blanks before it, and read full-width signs as the others. */
const formulaStart = String.raw`(?:\s*[=+\-@＝＋－＠]|[\t\r\n])`;
const formula = new RegExp(`^${formulaStart}`);
const guardedFormula = new RegExp(`^'${formulaStart}`);

/** A line of CSV (RFC 4180). A text that a spreadsheet program would run as a formula gets an apostrophe in front. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** The first line of a file: the column names, after a byte order mark so that spreadsheet programs read UTF-8. */
export const csvHead = (columns: readonly string[]): string => `\uFEFF${csvLine(columns)}`;

function cell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export interface CsvRow {
  /** The line on which the row begins. */
  line: number;
  cells: string[];
}

const csvParse = lazily<typeof CsvParse>(require, 'csv-parse/sync');

/**
 * Reads CSV (RFC 4180), also with the semicolons or tabs of spreadsheet programs, and without the apostrophes that
 * `csvLine` writes. Rows without a value are left out. `brokenLine`: where a row begins that cannot be read.
 */
export function readCsv(text: string): { rows: CsvRow[] } | { brokenLine: number } {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const rows: CsvRow[] = [];
  let readLines = 0;
  const keep = (cells: string[], lineOfEnd: number) => {
    rows.push({ line: firstWritten(lines, readLines), cells: cells.map(withoutApostrophe) });
    readLines = lineOfEnd;
    return null;
  };
  try {
    csvParse().parse(lines.join('\n'), {
      delimiter: delimiterOf(lines.find((line) => line.trim() !== '') ?? ''),
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (cells: string[], context) => keep(cells, context.lines),
    });
  } catch (error) {
    if (!(error instanceof csvParse().CsvError)) throw error;
    return { brokenLine: firstWritten(lines, readLines) };
  }
  return { rows: rows.filter(({ cells }) => cells.some((cell) => cell !== '')) };
}

/** The number of the first line with text after so many lines. */
function firstWritten(lines: readonly string[], after: number): number {
  const index = lines.findIndex((line, place) => place >= after && line.trim() !== '');
  return (index === -1 ? after : index) + 1;
}

const withoutApostrophe = (cell: string) => (guardedFormula.test(cell) ? cell.slice(1) : cell);

/** The character that stands between the names of the columns. */
function delimiterOf(head: string): string {
  const count = (delimiter: string) => head.split(delimiter).length;
  return [';', '\t'].find((delimiter) => count(delimiter) > count(',')) ?? ',';
}

/**
 * All rows of a list in parts. Each part continues after the last row of the previous one, so memory does not grow with
 * the list, and rows that are added meanwhile do not shift the others.
 */
export async function* inParts<Row, Place>(
  read: (limit: number, after: Place | undefined) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<Row[]> {
  let after: Place | undefined;
  for (;;) {
    const rows = await read(rowsPerPart, after);
    yield rows;
    const last = rows.at(-1);
    if (rows.length < rowsPerPart || last === undefined) return;
    after = placeOf(last);
  }
}

/** The same parts, with each row in the form of the response. */
export async function* shownParts<Row, Shown>(
  parts: AsyncIterable<readonly Row[]>,
  show: (row: Row) => Shown,
): AsyncGenerator<Shown[]> {
  for await (const rows of parts) yield rows.map(show);
}

const rowsPerPart = 1_000;
