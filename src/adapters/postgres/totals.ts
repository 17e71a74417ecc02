import { LRUCache } from 'lru-cache';
import { Op, type FindOptions, type Model, type ModelStatic, type WhereOptions } from 'sequelize';
import { manyEntries } from '../../kit/manyEntries';
import { type Cursor } from '../../kit/page';

/** A count of this size takes too long to be repeated on each page. */
const largeFrom = 10_000;
const rememberedMs = 30_000;
const totals = new LRUCache<string, number>({ ...manyEntries(5_000), ttl: rememberedMs });

interface Page {
  limit: number;
  offset: number;
  /** The number of rows on the page. */
  found: number;
  /** The page begins after a row, not at `offset`. */
  isAfterRow?: boolean;
}

/**
 * The number of rows on all pages of a list. The last page determines it. On other pages the rows are counted, and a large
 * number is cached for half a minute by `key`, which names the list, its owner and its filters.
 */
export async function totalOf(key: string, page: Page, count: () => Promise<number>): Promise<number> {
  const { limit, offset, found, isAfterRow = false } = page;
  if (!isAfterRow && found < limit && (found > 0 || offset === 0)) return offset + found;
  const read = found === 0 ? 0 : offset + found;
  const known = totals.get(key);
  if (known !== undefined) return Math.max(known, read);
  const total = await count();
  if (total >= largeFrom) totals.set(key, total);
  return Math.max(total, read);
}

/** Totals that contain the number of their rows. They are cached like the numbers of rows. */
export function largeTotals<Totals extends { total: number }>() {
  const cached = new LRUCache<string, Totals>({ ...manyEntries(5_000), ttl: rememberedMs });
  return async (key: string, count: () => Promise<Totals>): Promise<Totals> => {
    const known = cached.get(key);
    if (known !== undefined) return known;
    const found = await count();
    if (found.total >= largeFrom) cached.set(key, found);
    return found;
  };
}

interface CountedPage extends FindOptions {
  limit: number;
  offset: number;
  after?: WhereOptions | undefined;
  /** The number of rows, or of as many as had to be counted. Absent: they are counted. */
  counted?: number | undefined;
}

/** A page of a model's rows, and the number of rows on all pages. `key` as in `totalOf`; `after` limits the page only. */
export async function findPage<M extends Model>(
  model: ModelStatic<M>,
  key: string,
  { after, counted, ...options }: CountedPage,
): Promise<{ rows: M[]; total: number }> {
  const { limit, offset, where } = options;
  const all = where === undefined ? {} : { where };
  const rows = await model.findAll(
    after === undefined ? options : { ...options, where: { [Op.and]: [where ?? {}, after] } },
  );
  const page = { limit, offset, found: rows.length, isAfterRow: after !== undefined };
  return { rows, total: await totalOf(key, page, async () => counted ?? model.count(all)) };
}

/** The condition for rows after a place, in a list that is ordered by id with the newest first. */
export const olderThan = (place: Cursor | undefined): WhereOptions | undefined =>
  place && { id: { [Op.lt]: place.id } };
