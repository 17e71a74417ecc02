import { type z } from 'zod';
import { type Caller } from '../../kit/auth';
import { pageRange, type PageQuery } from '../../kit/page';
import { findItemPage, findItems, type CardRow, type ItemFilter, type ItemOrder } from '../model';
import { type ActiveFilter } from '../schemas';

export { type ItemOrder };

/** A merchant, as the lists of its items need it. */
export type Tenant = Pick<Caller, 'merchantId' | 'merchantUuid'>;
const largestId = 2_147_483_647;
const noIds = [1, 0] as const;

/** What `search[]=key:value` asks of a merchant's items; naming another merchant finds nothing. */
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

/** A page of cards' rows, in the envelope of a list. */
export async function listCards(
  filter: ItemFilter,
  query: z.output<typeof PageQuery>,
  order?: { by: ItemOrder; isDescending: boolean },
) {
  const { page, limit, offset } = pageRange(query);
  const { rows, total } = await findItemPage(filter, { limit, offset }, order);
  return { total, page, offset, limit, rows };
}

/** Newest first from the one after an id on: for who reads all of them. */
export function readCardsAfter(filter: ItemFilter, limit: number, afterId = largestId + 1): Promise<CardRow[]> {
  const [from, to] = filter.ids;
  return findItems({ ...filter, ids: [from, Math.min(to, afterId - 1)] }, { limit, offset: 0 });
}
