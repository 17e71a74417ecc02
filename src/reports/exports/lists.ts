import { type z } from 'zod';
import { type BuiltIn } from '../../features/features';
import { type Auth, type Caller } from '../../kit/auth';
import { inParts } from '../../kit/csv';
import { type ExportPath, type ExportQuery } from './exports.schemas';

/** The definition of a list that can be exported. */

export type ListName = z.output<typeof ExportPath>['list'];
export type ExportFilter = z.output<typeof ExportQuery>;
type Parts = AsyncIterable<readonly object[]>;

export interface List {
  /** The scope that a follower needs, in addition to the one for reports. */
  auth: Auth;
  /** The feature that turns the list off. */
  feature?: BuiltIn;
  filters: readonly (keyof ExportFilter)[];
  /** The required filters, such as the object that the list belongs to. */
  needs?: readonly (keyof ExportFilter)[];
  /** The keys of `search[]=key:value`, if the list can be searched. */
  searchKeys?: readonly string[];
  /** The keys by which the export can be sorted. */
  sorts?: readonly string[];
  /** Names of a row's fields; `usage_limit=usageLimit` is a column under another name. */
  columns: string;
  /** An object of another merchant is refused before the first line. */
  read: (caller: Caller, filter: ExportFilter) => Parts | Promise<Parts>;
}

/** The filter with the order of its list. `exportList` refuses other keys first. */
export function sortedBy<Key extends string>(keys: readonly Key[], { sort, ...filter }: ExportFilter) {
  return { ...filter, sort: keys.find((key) => key === sort) };
}

/** Rows with an id, read on from the last one's. */
export function byId<Row extends { id: number }>(
  read: (limit: number, after: number | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  return inParts(read, ({ id }) => id);
}

/** A short list, read at once. */
export async function* whole(rows: readonly object[]): AsyncGenerator<readonly object[]> {
  yield await Promise.resolve(rows);
}

/** A filter that `needs` guarantees. */
export function needed<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a list was read without a required filter');
  return value;
}
