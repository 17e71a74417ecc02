import { type z } from 'zod';
import { type BuiltIn } from '../../../features/service';
import { type Auth, type Caller } from '../../../kit/auth';
import { inParts } from '../../../kit/csv';
import { type ExportPath, type ExportQuery } from '../schemas';

/** What there is to say of a list that is written as a file. */

export type ListName = z.output<typeof ExportPath>['list'];
export type Asked = z.output<typeof ExportQuery>;
type Parts = AsyncIterable<readonly object[]>;

export interface List {
  /** What a follower needs to see it, besides the reports. */
  auth: Auth;
  /** With which it is turned off. */
  feature?: BuiltIn;
  filters: readonly (keyof Asked)[];
  /** Those of the filters without which there is no such list: whose it is. */
  needs?: readonly (keyof Asked)[];
  /** By what `search[]=key:value` asks, where it does. */
  searchKeys?: readonly string[];
  /** Names of a row's fields; `usage_limit=usageLimit` is a column under another name. */
  columns: string;
  /** What is not the caller's is refused before the first line. */
  read: (caller: Caller, asked: Asked) => Parts | Promise<Parts>;
}

/** Rows with an id, read on from the last one's. */
export function byId<Row extends { id: number }>(
  read: (limit: number, after: number | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  return inParts(read, ({ id }) => id);
}

/** A list that is short wherever it is shown: all of it at once. */
export async function* whole(rows: readonly object[]): AsyncGenerator<readonly object[]> {
  yield await Promise.resolve(rows);
}

/** What `needs` promises. */
export function needed<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a list was read without what it needs');
  return value;
}
