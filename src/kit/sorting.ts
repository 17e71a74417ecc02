import { z } from 'zod';
import { AppError } from './errors';
import { type Cursor, isInstant } from './page';

/** Orders of a list that its reader chooses. */

/**
 * The part of a list's query that sorts it. The first key is the order without `sort`. Each key needs an index, because a
 * list may have a million rows.
 */
export const sortFields = <const Keys extends readonly [string, ...string[]]>(keys: Keys) => ({
  sort: z
    .enum(keys)
    .meta({ description: `What the rows are sorted by; the default is \`${keys[0]}\`` })
    .optional(),
  order: z
    .enum(['asc', 'desc'])
    .meta({ description: 'Ascending or descending; the default is `desc`. Rows with the same value are sorted by id' })
    .optional(),
});

export interface Sort<Key extends string = string> {
  sort?: Key | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/** What a key sorts by. Ids rise with the time of creation. */
export type SortColumn =
  | { type: 'id' }
  /** SQL that is never null. */
  | { type: 'text' | 'time'; sql: string };

/** The order of the rows: by the column, and by id in the same direction. So the pages of equal rows never overlap. */
export type RowOrder = SortColumn & { by: string; isDescending: boolean };

export function rowOrder<Key extends string>(
  columns: Readonly<Record<Key, SortColumn>>,
  { sort, order }: Sort<Key>,
  usual: NoInfer<Key>,
): RowOrder {
  const by = sort ?? usual;
  return { ...columns[by], by, isDescending: order !== 'asc' };
}

/** The value of a row with no time, before or after all others. */
const endless = ['infinity', '-infinity'];

/** The row after which a page continues: its id, and its value unless the order is by id. A cursor of another order is refused. */
export function placeIn({ by, type }: Pick<RowOrder, 'by' | 'type'>, { id, sorted }: Cursor): SortedPlace {
  if (type === 'id' && sorted === undefined) return { id };
  const isKnown = sorted?.by === by && (type !== 'time' || isInstant(sorted.value) || endless.includes(sorted.value));
  if (!isKnown || type === 'id')
    throw new AppError('invalid_input', { errors: { cursor: 'The cursor belongs to another order of the list.' } });
  return { id, value: sorted.value };
}

interface SortedPlace {
  id: number;
  value?: string;
}
