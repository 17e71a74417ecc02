import { type z } from 'zod';
import { type Caller } from '../kit/auth';
import { byId, cursorRange, type CursorQuery, nextCursor, pageRange, type PageQuery } from '../kit/page';
import { findItemPage, findItems, type CardRow, type ItemFilter, type ItemOrder } from './items.model';
import { type ActiveFilter } from './items.schemas';

export { type ItemOrder };

/** The merchant whose items are listed. */
export type Tenant = Pick<Caller, 'merchantId' | 'merchantUuid'>;
const largestId = 2_147_483_647;
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

/** Newest first, with a cursor. */
export async function listNewest(filter: ItemFilter, query: z.output<typeof CursorQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const { rows, total } = await findItemPage(filter, { limit, offset, afterId: after?.id });
  return { total, page, offset, limit, next_cursor: nextCursor(rows, { limit }, byId), rows };
}

/** Newest first in parts, for an export: the rows that follow an id. */
export function readCardsAfter(filter: ItemFilter, limit: number, afterId = largestId + 1): Promise<CardRow[]> {
  const [from, to] = filter.ids;
  return findItems({ ...filter, ids: [from, Math.min(to, afterId - 1)] }, { limit, offset: 0 });
}
