export type CsvValue = string | number | boolean | null;

/** A text that starts with one of these is a formula for spreadsheet programs. */
const formula = /^[=+\-@\t\r]/;

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
