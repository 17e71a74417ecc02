export type CsvValue = string | number | boolean | null;

/** What a table program takes for a formula where a text begins so. */
const formula = /^[=+\-@\t\r]/;

/** A line of CSV (RFC 4180). A text that a table program would run is given an apostrophe, which makes it a text there. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * All rows of a list in parts, each read on from the place where the last one ended: memory does not grow with the list,
 * and a row that is added meanwhile shifts none.
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

/** The same parts with each row as it is shown. */
export async function* shownParts<Row, Shown>(
  parts: AsyncIterable<readonly Row[]>,
  show: (row: Row) => Shown,
): AsyncGenerator<Shown[]> {
  for await (const rows of parts) yield rows.map(show);
}

const rowsPerPart = 1_000;
