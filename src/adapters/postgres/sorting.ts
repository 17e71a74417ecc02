import {
  col,
  fn,
  literal,
  type Model,
  type ModelStatic,
  Op,
  type OrderItem,
  type ProjectionAlias,
  where as condition,
  type WhereOptions,
} from 'sequelize';
import { inParts } from '../../kit/csv';
import { type Cursor, nextCursor } from '../../kit/page';
import { placeIn, type RowOrder } from '../../kit/sorting';
import { findPage } from './totals';

/**
 * Lists of a model in the order that their reader chooses. They read the views of `290-fence.sql`, because behind a policy
 * PostgreSQL uses neither the index of an expression such as `lower(title)` nor that of the parts of a text. So `where` must
 * have the merchant.
 */

interface SortedPage {
  where: WhereOptions;
  order: RowOrder;
  limit: number;
  offset: number;
  after: Cursor | undefined;
  /** The most rows that are counted. Absent: all. */
  countUpTo?: number | undefined;
}

/** A page, the number of rows on all pages, and the cursor of the next page. `key` as in `totalOf`. */
export async function findSortedPage<M extends Model & { id: number }>(
  model: ModelStatic<M>,
  key: string,
  { countUpTo, ...page }: SortedPage,
): Promise<{ rows: M[]; total: number; next_cursor: string | null }> {
  const ids = countUpTo === undefined ? undefined : await findIds(unfenced(model), page, countUpTo);
  const areAll = ids !== undefined && countUpTo !== undefined && ids.length < countUpTo;
  const found =
    areAll && page.order.type === 'id' ? await pageOf(model, page, ids) : await readPage(model, key, page, ids);
  return { ...found, next_cursor: nextCursor(found.rows, page, placeOf(page.order)) };
}

type Asked = Omit<SortedPage, 'countUpTo'>;

function readPage<M extends Model & { id: number }>(
  model: ModelStatic<M>,
  key: string,
  { order, after, ...page }: Asked,
  ids: readonly number[] | undefined,
) {
  const place = after && rowsAfter(order, after);
  return findPage(unfenced(model), key, { ...page, ...columnsOf(order), after: place, counted: ids?.length });
}

/** The ids of at most this number of rows, without an order. */
async function findIds<M extends Model & { id: number }>(
  model: ModelStatic<M>,
  { where }: Pick<Asked, 'where'>,
  limit: number,
): Promise<number[]> {
  return (await model.findAll({ where, attributes: ['id'], limit, raw: true })).map(({ id }) => id);
}

/**
 * A page of rows whose ids are all known. For a rare text, PostgreSQL would otherwise scan all rows in their order, because it
 * expects the text soon.
 */
async function pageOf<M extends Model & { id: number }>(
  model: ModelStatic<M>,
  { where, order, after, limit, offset }: Asked,
  ids: readonly number[],
): Promise<{ rows: M[]; total: number }> {
  const sign = order.isDescending ? -1 : 1;
  const isAfter = (id: number) => after === undefined || sign * id > sign * after.id;
  const sorted = ids.filter(isAfter).sort((one, other) => sign * (one - other));
  const id = sorted.slice(offset, offset + limit);
  const rows = await unfenced(model).findAll({ where: { [Op.and]: [where, { id }] }, ...columnsOf(order) });
  return { rows, total: ids.length };
}

/** All rows in parts, for an export. */
export function readSorted<M extends Model & { id: number }>(
  model: ModelStatic<M>,
  { where, order }: Pick<SortedPage, 'where' | 'order'>,
): AsyncGenerator<M[]> {
  const read = (limit: number, after: Cursor | undefined) => {
    const next = after === undefined ? where : { [Op.and]: [where, rowsAfter(order, after)] };
    return unfenced(model).findAll({ where: next, ...columnsOf(order), limit });
  };
  return inParts(read, placeOf(order));
}

/** Sequelize makes a new class for each call of `schema`. */
const views = new Map<ModelStatic<Model>, ModelStatic<Model>>();

function unfenced<M extends Model>(model: ModelStatic<M>): ModelStatic<M> {
  const view = views.get(model) ?? model.schema('unfenced');
  views.set(model, view);
  return view as ModelStatic<M>;
}

/** The value of the column as a text: times with microseconds, as stored. */
const sortedAs = 'sortedValue';

const placeOf =
  ({ type, by }: RowOrder) =>
  (row: Model & { id: number }): Cursor =>
    type === 'id' ? { id: row.id } : { id: row.id, sorted: { by, value: String(row.get(sortedAs)) } };

function columnsOf(order: RowOrder) {
  const direction = order.isDescending ? 'DESC' : 'ASC';
  const byId: OrderItem = ['id', direction];
  if (order.type === 'id') return { order: [byId] };
  const byValue: OrderItem = [literal(order.sql), direction];
  const value: ProjectionAlias = [literal(`(${order.sql})::text`), sortedAs];
  return { order: [byValue, byId], attributes: { include: [value] } };
}

/** Compares pairs of value and id, which the index of the order has. */
function rowsAfter(order: RowOrder, after: Cursor): WhereOptions {
  const follows = order.isDescending ? Op.lt : Op.gt;
  const { id, value } = placeIn(order, after);
  if (order.type === 'id') return { id: { [follows]: id } };
  return condition(fn('row', literal(order.sql), col('id')), follows, fn('row', value, id));
}
