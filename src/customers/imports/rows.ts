import { type z } from 'zod';
import { holdsCardNumber } from '../../kit/cardNumbers';
import { readCsv, type CsvRow } from '../../kit/csv';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { validate } from '../../kit/validate';
import { type Fault, faultAt, invalidAt, rowsMax } from './faults';
import { ImportedRow } from './imports.schemas';

export interface ImportRow {
  line: number;
  /** The normal form of the address. */
  address: string;
  customer: Omit<z.output<typeof ImportedRow>, 'item_id' | 'access_until'>;
  access: { itemId: number; until: Date } | undefined;
}

export interface ReadFile {
  /** The number of rows below the names of the columns, with those that have a fault. */
  total: number;
  /** The rows without a fault. */
  rows: ImportRow[];
  faults: Fault[];
}

const metadataPrefix = 'metadata.';
export const importColumns = Object.keys(ImportedRow.shape).filter((name) => name !== 'metadata');

/** Reads the rows of a file. Needs no database, so customers and items are not compared with those of the merchant. */
export function readRows(csv: string): ReadFile {
  const refused = (fault: Fault, total = 0): ReadFile => ({ total, rows: [], faults: [fault] });
  const read = readCsv(csv);
  if ('brokenLine' in read) return refused(faultAt(read.brokenLine, 'unreadable'));
  const [head, ...others] = read.rows;
  if (!head || others.length === 0) return refused(faultAt((head?.line ?? 0) + 1, 'no_rows'));
  const total = others.length;
  const excess = others[rowsMax];
  if (excess) return refused(faultAt(excess.line, 'too_many_rows'), total);
  const columns = columnsOf(head);
  const faults = faultsOfHead(head.line, columns);
  if (faults.length > 0) return { total, rows: [], faults };
  const rows = others.flatMap((row) => {
    const { row: one, faults: found } = readRow(row, columns);
    faults.push(...found);
    return one ? [one] : [];
  });
  faults.push(...faultsOfRepeats(rows));
  const faulty = new Set(faults.map(({ line }) => line));
  return { total, rows: rows.filter(({ line }) => !faulty.has(line)), faults };
}

/** The names of the columns. Spreadsheet programs may add empty ones at the end. */
function columnsOf({ cells }: CsvRow): string[] {
  const last = cells.findLastIndex((cell) => cell !== '');
  return cells.slice(0, last + 1).map((cell) => {
    const name = cell.toLowerCase();
    return importColumns.includes(name) ? name : cell;
  });
}

function faultsOfHead(line: number, columns: readonly string[]): Fault[] {
  const faults = columns.flatMap((column, index) => {
    if (columns.indexOf(column) < index) return [faultAt(line, 'column_repeated', column)];
    const isKnown = importColumns.includes(column) || column.startsWith(metadataPrefix);
    return isKnown ? [] : [faultAt(line, 'column_unknown', column)];
  });
  return columns.includes('email') ? faults : [...faults, faultAt(line, 'column_missing', 'email')];
}

function readRow({ line, cells }: CsvRow, columns: readonly string[]): { row?: ImportRow; faults: Fault[] } {
  if (cells.length < columns.length || cells.slice(columns.length).some((cell) => cell !== ''))
    return { faults: [faultAt(line, 'cells')] };
  const filled = columns
    .map((column, index) => [column, cells[index] ?? ''] as const)
    .filter(([, cell]) => cell !== '');
  const numbers = filled.filter(([, cell]) => holdsCardNumber(cell));
  if (numbers.length > 0) return { faults: numbers.map(([column]) => faultAt(line, 'card_number', column)) };
  const sent = fieldsOf(filled);
  const partner = missingPartner(sent);
  if (partner !== undefined) return { faults: [faultAt(line, 'required', partner)] };
  try {
    const { item_id: itemId, access_until: until, ...customer } = validate(ImportedRow, sent);
    const access = itemId === undefined || until === undefined ? undefined : { itemId, until };
    return { row: { line, address: normalizeEmail(customer.email), customer, access }, faults: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { faults: faultsOfError(line, error) };
  }
}

/** The cells of the columns `metadata.<name>` are one field. */
function fieldsOf(filled: readonly (readonly [string, string])[]): Record<string, unknown> {
  const isMetadata = ([column]: readonly [string, string]) => column.startsWith(metadataPrefix);
  const metadata = filled
    .filter(isMetadata)
    .map(([column, value]) => ({ name: column.slice(metadataPrefix.length), value }));
  const fields = Object.fromEntries(filled.filter((cell) => !isMetadata(cell)));
  return metadata.length > 0 ? { ...fields, metadata } : fields;
}

/** An item needs an end, and an end an item. */
function missingPartner({ item_id: itemId, access_until: until }: Record<string, unknown>): string | undefined {
  if ((itemId === undefined) === (until === undefined)) return undefined;
  return itemId === undefined ? 'item_id' : 'access_until';
}

function faultsOfError(line: number, { code, details }: AppError): Fault[] {
  return Object.entries(details.errors ?? {}).map(([column, message]) =>
    code === 'missing_parameter' ? faultAt(line, 'required', column) : invalidAt(line, column, message),
  );
}

/** A customer may have several rows, each with another item. */
function faultsOfRepeats(rows: readonly ImportRow[]): Fault[] {
  const first = new Map<string, ImportRow>();
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const key = `${row.address} ${row.access?.itemId ?? ''}`;
    const earlier = first.get(row.address);
    if (!earlier) first.set(row.address, row);
    if (seen.has(key)) return [faultAt(row.line, 'repeated', 'email')];
    seen.add(key);
    return earlier ? differencesOf(row, earlier) : [];
  });
}

/** The values in which a later row of a customer contradicts the first one. */
function differencesOf({ line, customer }: ImportRow, { customer: first }: ImportRow): Fault[] {
  const firstValues = valuesOf(first);
  return [...valuesOf(customer)]
    .filter(([column, value]) => column !== 'email' && value !== firstValues.get(column))
    .map(([column]) => faultAt(line, 'differs', column));
}

/** The values of a customer by column. */
function valuesOf({ metadata = {}, ...others }: ImportRow['customer']): Map<string, string> {
  const named = Object.entries(metadata).map(([name, value]) => [`${metadataPrefix}${name}`, value] as const);
  return new Map([...Object.entries(others).map(([column, value]) => [column, String(value)] as const), ...named]);
}
