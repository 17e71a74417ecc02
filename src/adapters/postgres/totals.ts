import { LRUCache } from 'lru-cache';
import { type FindOptions, type Model, type ModelStatic } from 'sequelize';

/** From here on a count takes longer than anybody who turns pages wants to wait each time. */
const largeFrom = 10_000;
const rememberedMs = 30_000;
const totals = new LRUCache<string, number>({ max: 5_000, ttl: rememberedMs });

interface Page {
  limit: number;
  offset: number;
  /** How many rows were found on it. */
  found: number;
}

/**
 * How many rows a list has on all its pages. The last page tells it by itself. Elsewhere they are counted; a large number
 * is remembered for half a minute by `key`, which names the list, whose it is and what it is filtered by.
 */
export async function totalOf(key: string, page: Page, count: () => Promise<number>): Promise<number> {
  const { limit, offset, found } = page;
  if (found < limit && (found > 0 || offset === 0)) return offset + found;
  const known = totals.get(key);
  if (known !== undefined) return Math.max(known, offset + found);
  const total = await count();
  if (total >= largeFrom) totals.set(key, total);
  return total;
}

/** A page of a model's rows, and how many there are on all its pages; `key` as in `totalOf`. */
export async function findPage<M extends Model>(
  model: ModelStatic<M>,
  key: string,
  options: FindOptions & { limit: number; offset: number },
): Promise<{ rows: M[]; total: number }> {
  const { limit, offset, where } = options;
  const rows = await model.findAll(options);
  const page = { limit, offset, found: rows.length };
  return { rows, total: await totalOf(key, page, () => model.count(where === undefined ? {} : { where })) };
}
