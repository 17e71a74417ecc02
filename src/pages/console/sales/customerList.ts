import { namesOf } from '../../../accounts/registeredUsers';
import { registeredUserEndpoints } from '../../../accounts/registeredUsers.endpoints';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { type RowOf } from '../../layout/answers';
import { copyableInRow } from '../../layout/copyable';
import { type Texts, textsFor } from '../../layout/texts';
import { bulkForm, choiceOf } from '../bulk';
import { type PageState } from '../crudPages';
import { type MerchantVisit, showInConsole } from '../frame';
import {
  badge,
  breakable,
  day,
  emptyOf,
  emptyWith,
  mayDo,
  orderIn,
  partIn,
  searchForm,
  sizedPager,
  type Sorting,
  sortingOf,
  table,
  termOf,
} from '../lists';
import { savedFilters } from '../savedFilters';
import { customerTabs } from './addresses';
import { chosenCustomers } from './chosenCustomers';

export const address = '/console/customers';
const { listRegisteredUsers } = registeredUserEndpoints;

/** The customers of the merchant, with a search. */
export async function customersPage(visit: MerchantVisit, state: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { search = '', done } = state;
  const query = { ...partIn(state), active: 'all', ...(search !== '' && { search: [termOf(search)] }) };
  const found = await findCustomers(visit, query);
  const actions =
    mayDo(visit, 'accounts:write') &&
    html`<a class="button" href="${address}/import">${t('console.imports.open')}</a>
      <a class="button main" href="${address}/new">${t('console.customers.create')}</a>`;
  const place = { section: 'customers', title: t('console.sections.customers'), actions, done } as const;
  const order = orderIn(state);
  const form = searchForm(texts, { action: address, search, label: t('console.customers.searchLabel'), ...order });
  const ids = found.collection.map(({ id }) => String(id));
  const content = html`${customerTabs(texts, address)} ${form}
  ${await savedFilters(visit, texts, 'customers', { search, ...order })}
  ${await customerTable(visit, texts, found.collection, { sorting: sortingOf(visit, texts, order), search })}
  ${bulkForm(visit, texts, chosenCustomers, ids)} ${sizedPager(visit, texts, found, { list: 'customers', query })}`;
  return showInConsole(visit, place, content);
}

/** The most customers that a search counts. It reads each match, and a common text can match a tenth of all customers. */
const countedMax = 10_000;

async function findCustomers(visit: Visit, query: Record<string, string | string[]>) {
  if (!('search' in query)) return visit.call(listRegisteredUsers, { query });
  const found = await visit.call(listRegisteredUsers, { query: { ...query, total_up_to: countedMax + 1 } });
  const hasMore = found.total > countedMax && found.next_cursor !== null;
  return { ...found, hasMore, total: hasMore ? countedMax : found.total };
}

export type Customer = RowOf<typeof listRegisteredUsers>;

async function customerTable(
  visit: MerchantVisit,
  texts: Texts,
  rows: readonly Customer[],
  { sorting, search }: { sorting: Sorting; search: string },
): Promise<Html> {
  const { t } = texts;
  const ids = rows.map(({ id }) => id);
  const known = await namesOf(visit.caller, ids);
  const row = { value: ({ id }: Customer) => String(id), name: ({ email }: Customer) => email };
  const next = { address: `${address}/new`, text: t('console.customers.create'), scope: 'accounts:write' } as const;
  return table({
    title: t('console.sections.customers'),
    rows,
    empty: emptyOf(texts, address, { search }, emptyWith(visit, t('console.customers.none'), next)),
    choice: choiceOf(visit, texts, chosenCustomers, row),
    sorting,
    columns: [
      {
        title: t('common.email'),
        cell: ({ id, email }) =>
          copyableInRow(texts, { value: email, shown: html`<a href="${address}/${id}">${breakable(email)}</a>` }),
        sort: { by: 'email', first: 'asc' },
      },
      { title: t('common.fullName'), cell: ({ full_name }) => full_name, sort: { by: 'name', first: 'asc' } },
      { title: t('console.fields.id'), cell: ({ id }) => copyableInRow(texts, { value: String(id) }) },
      {
        title: t('console.fields.state'),
        cell: ({ id }) => badge(texts, known.get(id)?.isActive === false ? 'inactive' : 'active'),
      },
      {
        title: t('console.fields.createdAt'),
        cell: ({ created_at }) => day(texts, created_at),
        sort: { by: 'created', first: 'desc' },
      },
    ],
  });
}
