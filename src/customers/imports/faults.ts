import { type z } from 'zod';
import { AppError } from '../../kit/errors';
import { type faultReasons, type ImportFault } from './imports.schemas';

export type Fault = z.output<typeof ImportFault>;
type FaultReason = (typeof faultReasons)[number];
/** The reasons of a value that the schema of its column refuses. Their sentence is that of the schema. */
type Refusal =
  | `email_${'invalid' | 'invisible'}`
  | `date_${'invalid' | 'range' | 'future'}`
  | 'too_long'
  | 'id_invalid'
  | 'field_name'
  | 'too_many_fields'
  | 'option_unknown'
  | 'invalid';

export const rowsMax = 500;

const sentences: Record<Exclude<FaultReason, Refusal>, string> = {
  unreadable: 'The row cannot be read. Put a text with quotes in quotes, and double the quotes in it.',
  no_rows: 'The file has no customers. Add a row below the names of the columns.',
  too_many_rows: `The file has more than ${rowsMax} rows. Split it into several files.`,
  column_missing: 'The first line lacks this column. Add it.',
  column_repeated: 'The first line names this column twice. Remove one of the two.',
  column_unknown: 'This column is not known. Rename it or remove it.',
  cells: 'The row has more or fewer cells than the first line. Check its separators and quotes.',
  required: 'The cell is empty. Fill it in.',
  card_number: 'The cell must not hold a card number. Remove the number.',
  repeated: 'An earlier row has the same email and item. Remove one of the two.',
  differs: 'An earlier row of this email has another value. Use the same value in both, or leave this cell empty.',
  item_unknown: 'There is no item with this ID. Use an ID of your items.',
  date_past: 'The access would end in the past or after 2037. Use a later date, or leave out the item.',
  address_held: 'A customer has changed this email within seven days. Use the new email, or import the row later.',
  inactive: 'The customer is deactivated and gets no access. Remove the item from this row.',
};

const columnLength = 100;

export function faultAt(line: number, reason: Exclude<FaultReason, Refusal>, column?: string): Fault {
  return { line, ...columnOf(column), reason, message: sentences[reason] };
}

/** A value that the schema of its column refuses, with the text of the schema. */
export function invalidAt(line: number, column: string, message: string): Fault {
  return { line, ...columnOf(column), ...refusalOf(column, message), message };
}

/** A field of the registration form that accepts some answers only. */
export function optionAt(
  line: number,
  column: string,
  { message, allowed }: { message: string; allowed: string[] },
): Fault {
  return { line, ...columnOf(column), reason: 'option_unknown', allowed, message };
}

/** The words of a schema, and the reason that they mean. A number in them is a limit. */
const refusals: readonly (readonly [words: RegExp, reason: Refusal])[] = [
  [/at most (\d+) characters/, 'too_long'],
  [/at most (\d+) keys/, 'too_many_fields'],
  [/invisible characters/, 'email_invisible'],
  [/valid e-mail address/, 'email_invalid'],
  [/in the past/, 'date_future'],
  [/in 1900 or later|in 9999 or earlier/, 'date_range'],
  [/ISO 8601 date/, 'date_invalid'],
];

function refusalOf(column: string, message: string): Pick<Fault, 'reason' | 'limit'> {
  for (const [words, reason] of refusals) {
    const found = words.exec(message);
    if (found) return { reason, ...(found[1] !== undefined && { limit: Number(found[1]) }) };
  }
  if (column === 'item_id') return { reason: 'id_invalid' };
  return { reason: column.startsWith('metadata.') ? 'field_name' : 'invalid' };
}

/** An unknown column is a text of the file, which can be of any length. */
const columnOf = (column: string | undefined) => column !== undefined && { column: column.slice(0, columnLength) };

/** The faults in the order of the file. */
export function inOrder(faults: readonly Fault[]): Fault[] {
  return [...faults].sort((one, other) => one.line - other.line);
}

/** Throws an error that names the line and the column of each fault. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const errors = inOrder(faults).map(({ line, column, message }) => {
    const [field, place] = column === undefined ? ['', ''] : [`.${column}`, `, column ${column}`];
    return [`csv.${line}${field}`, `Line ${line}${place}: ${message}`] as const;
  });
  throw new AppError('invalid_input', { errors: Object.fromEntries(errors) });
}
