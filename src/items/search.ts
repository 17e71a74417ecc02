import { nameOrder } from '../adapters/postgres/nameOrder';
import { type z } from 'zod';
import { type Caller } from '../kit/auth';
import { inParts } from '../kit/csv';
import { type Cursor, cursorRange, type CursorQuery, nextCursor, pageRange, type PageQuery } from '../kit/page';
import { placeIn, rowOrder, type Sort } from '../kit/sorting';
import {
  findItemPage,
  findItems,
  type ItemFilter,
  type ItemOrder,
  largestId,
  type ListedCard,
  type PageOrder,
} from './items.model';
import { type ActiveFilter, type itemSorts } from './items.schemas';

export { type ItemOrder };

/** The merchant whose items are listed. */
export type Tenant = Pick<Caller, 'merchantId' | 'merchantUuid'>;
const noIds = [1, 0] as const;

/** The filter of `search[]=key:value` terms. The uuid of another merchant finds nothing. */
export function searchFilter(tenant: Tenant, terms: readonly string[] = []): ItemFilter {
  const filter = { ids: [1, largestId] as [number, number], titles: [] as string[], externalIds: [] as string[] };
  for (const term of terms) {
    const key = term.slice(0, term.indexOf(':'));
    const value = term.slice(key.length + 1).trim();
    if (key === 'title') filter.titles.push(`%${value.replaceAll(/[\\%_]/g, '\\$&')}%`);
    else if (key.startsWith('external')) filter.externalIds.push(value);
    else if (key === 'id') filter.ids = narrowed(filter.ids, value);
    else if (value.toLowerCase() !== String(key === 'merchant_id' ? tenant.merchantId : tenant.merchantUuid))
      filter.ids = [...noIds];
  }
  return { merchantId: tenant.merchantId, ...filter };
}

function narrowed([from, to]: [number, number], text: string): [number, number] {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id >= from && id <= to ? [id, id] : [...noIds];
}

export function isActiveOf(active: z.output<typeof ActiveFilter>): boolean | undefined {
  if (active === undefined || active === 'all') return undefined;
  return active === true || active === 'active';
}

/** A page of cards in the form of a list response. */
export async function listCards(
  filter: ItemFilter,
  query: z.output<typeof PageQuery>,
  order?: { by: ItemOrder; isDescending: boolean },
) {
  const { page, limit, offset } = pageRange(query);
  const { rows, total } = await findItemPage(filter, { limit, offset }, order);
  return { total, page, offset, limit, rows };
}

/** A list's order as its query requests it, by default newest first. */
export type ItemSort = Sort<(typeof itemSorts)[number]>;

const sortColumns = { created: { type: 'id' }, title: { type: 'text', sql: nameOrder('i.title') } } as const;

function orderOf(sort: ItemSort, after: Cursor | undefined): PageOrder & { placeOf: (row: ListedCard) => Cursor } {
  const order = rowOrder(sortColumns, sort, 'created');
  const { by, isDescending } = order;
  const place = { isDescending, after: after && placeIn(order, after) };
  if (order.type === 'id') return { ...place, by: 'id', placeOf: ({ id }) => ({ id }) };
  return { ...place, by: 'title', placeOf: ({ id, sortedValue: value }) => ({ id, sorted: { by, value } }) };
}

/** A page with the cursor of the next one. */
export async function listSorted(filter: ItemFilter, query: z.output<typeof CursorQuery> & ItemSort) {
  const { page, limit, offset, after } = cursorRange(query);
  const { placeOf, ...order } = orderOf(query, after);
  const { rows, total } = await findItemPage(filter, { limit, offset }, order);
  return { total, page, offset, limit, next_cursor: nextCursor(rows, { limit }, placeOf), rows };
}

/** All rows in parts, for an export. */
export function readCards(filter: ItemFilter, sort: ItemSort): AsyncGenerator<ListedCard[]> {
  const read = (limit: number, after: Cursor | undefined) =>
    findItems(filter, { limit, offset: 0 }, orderOf(sort, after));
  return inParts(read, orderOf(sort, undefined).placeOf);
}
