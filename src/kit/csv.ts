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
