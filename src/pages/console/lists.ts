import { type AnalyticsFileName } from '../../analytics/files';
import { type Auth, mayCall, merchant, type Scope } from '../../kit/auth';
import { html, type Html, type Written } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { type ListName } from '../../reports/exports/exports';
import { reportExportEndpoints } from '../../reports/exports/exports.endpoints';
import { field, submit } from '../layout/forms';
import { type Counted, pager as plainPager, type Sorting, withParameters } from '../layout/lists';
import { named, type Texts } from '../layout/texts';

export { breakable, type Column, facts, type Sorting, table, when, withParameters } from '../layout/lists';

/** Searches, page numbers and state badges of the console. */

/** A day in Unix seconds, on one line and short, so that other columns have their place. 0 means no time. */
export const day = (texts: Texts, seconds: number): string =>
  seconds === 0 ? '' : texts.shortDate(seconds).replaceAll(' ', '\u00a0');

/** The query without empty values. */
export function given(query: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}

/** The search term: an id, or a part of a title or name. */
export const termOf = (search: string) => (/^\d+$/.test(search) ? `id:${search}` : `title:${search}`);

interface SearchForm extends Order {
  action: string;
  search: string;
  /** Instead of the usual label. */
  label?: string;
}

export function searchForm(texts: Texts, { action, search, label = texts.t('common.search'), ...order }: SearchForm) {
  const { t } = texts;
  return html`<form method="get" action="${action}" class="card filters" role="search">
    ${field(texts, { name: 'search', type: 'search', label, value: search, isFilter: true })} ${keptOrder(order)}
    ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}

/** The text of a list without rows. With a filter, other rows may exist, and a link leads to them. */
export function emptyOf(
  { t }: Texts,
  address: string,
  filter: Record<string, string | undefined>,
  none: Written,
): Written {
  if (Object.keys(given(filter)).length === 0) return none;
  return html`${t('console.noMatches')} <a href="${address}">${t('console.seeAll')}</a>`;
}

interface NextPage {
  address: string;
  text: string;
  scope: Scope;
}

/** The text of an empty list, and below it a link to the page that fills it, for visitors who may use that page. */
export function emptyWith(visit: Visit, none: string, { address, text, scope }: NextPage): Html {
  const link = mayDo(visit, scope) && html`<p><a class="button slim" href="${address}">${text}</a></p>`;
  return html`<p>${none}</p>
    ${link}`;
}

/** The same, for a list that the sale of items fills. */
export const emptyBeforeSales = (visit: Visit, { t }: Texts, none: string): Html =>
  emptyWith(visit, none, { address: '/console/items', text: t('console.sections.catalogue'), scope: 'items:read' });

/** The tabs of related pages, by their URLs. */
export function tabs(title: string, pages: Record<string, string>, current: string): Html {
  const links = Object.entries(pages).map(([address, text]) => {
    const isCurrent = address === current ? html`aria-current="page"` : '';
    return html`<li><a href="${address}" ${isCurrent}>${text}</a></li>`;
  });
  return html`<nav aria-label="${title}">
    <ul class="tabs">
      ${links}
    </ul>
  </nav>`;
}

/** A list that has a CSV file, and its query. */
export interface CsvFile {
  list: ListName | AnalyticsFileName | 'transactions';
  query: Record<string, string | readonly string[] | undefined>;
}

/** The number of the page, links to the other pages, and a link to the CSV file. */
export function pager(visit: Visit, texts: Texts, counted: Counted, csv?: CsvFile): Html {
  return plainPager(visit, texts, counted, csv && counted.total > 0 && fileLink(visit, texts, csv));
}

const sizes = ['15', '50', '100'] as const;

/** The order of a list, as its query contains it. The endpoint refuses an unknown one. */
interface Order {
  sort?: string | undefined;
  order?: string | undefined;
}

export const orderIn = ({ sort, order }: Order) => given({ sort, order });

/** The hidden inputs by which a form with filters keeps the order. */
export const keptOrder = (query: Order) =>
  Object.entries(orderIn(query)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);

/** The present order, for the titles of the columns. `usual`: the key of the list without an order, newest first. */
export const sortingOf = ({ address }: Visit, { t }: Texts, { sort, order }: Order, usual = 'created'): Sorting => ({
  address,
  title: t('console.sortBy'),
  by: sort ?? usual,
  order: order === 'asc' ? 'asc' : 'desc',
});

/** The page, its size and its order, as a list's query contains them. Another size counts as none. */
export const partIn = ({ page, size, ...order }: { page?: string | undefined; size?: string | undefined } & Order) => ({
  ...given({ page, size: sizes.find((known) => known === size) }),
  ...orderIn(order),
});

/** The same as `pager`, with links to pages of another size. */
export function sizedPager(visit: Visit, texts: Texts, counted: Counted, csv: CsvFile): Html {
  if (counted.total <= Number(sizes[0])) return pager(visit, texts, counted, csv);
  const links = sizes.map((size) => {
    const isCurrent = Number(size) === counted.limit && html`aria-current="true"`;
    const address = withParameters(visit.address, { size, page: undefined, done: undefined });
    return html`<a href="${address}" ${isCurrent}>${size}</a>`;
  });
  const title = texts.t('console.pageSize');
  const choice = html`<span class="sizes" role="group" aria-label="${title}"><span>${title}</span> ${links}</span>`;
  return plainPager(visit, texts, counted, html`${choice} ${fileLink(visit, texts, csv)}`);
}

/** The link to the CSV file of a list that has no pages. */
export function fileOf(visit: Visit, texts: Texts, rows: readonly unknown[], csv: CsvFile): Html {
  const link = rows.length > 0 && fileLink(visit, texts, csv);
  return html`${link && html`<p class="end small">${link}</p>`}`;
}

function fileLink(visit: Visit, { t }: Texts, csv: CsvFile): Html | false {
  if (!mayDownload(visit)) return false;
  return html`<a class="button slim" href="${csvAddress(csv)}" download>${t('console.csv')}</a>`;
}

export const mayDownload = (visit: Visit) => mayUse(visit, reportExportEndpoints.exportList);

/** Whether the visitor may call an endpoint. Somebody who acts as the account may not delete, whatever the scope. */
export const mayUse = ({ caller }: Visit, { auth }: { auth: Auth }) => caller !== undefined && mayCall(auth, caller);

/** Whether the visitor may use a form that requires a scope. */
export const mayDo = (visit: Visit, scope: Scope) => mayUse(visit, { auth: merchant(scope) });

/** The URL of the CSV file of a list. */
export function csvAddress({ list, query }: CsvFile): string {
  const filters = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === '' || name === 'page' || name === 'size') return [];
    return typeof value === 'string' ? [[name, value]] : value.map((term) => [`${name}[]`, term]);
  });
  const parameters = new URLSearchParams(filters).toString();
  return `/console/csv/${list}${parameters === '' ? '' : `?${parameters}`}`;
}

/** The address of the file of a list. Undefined if the visitor may not download it. */
export const fileAddress = (visit: Visit, csv: CsvFile) => (mayDownload(visit) ? csvAddress(csv) : undefined);

/** A key figure. */
export function stat(name: Written, value: Written, note?: Written): Html {
  return html`<div class="card stat">
    <dl>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </dl>
    ${note === undefined ? '' : html`<p class="small quiet">${note}</p>`}
  </div>`;
}

const kinds: Record<string, string> = {
  active: 'good',
  paid: 'good',
  sent: 'good',
  delivered: 'good',
  redeemed: 'good',
  on: 'good',
  configured: 'good',
  purchased: 'good',
  granted: 'good',
  pending: 'warn',
  unresolved: 'warn',
  recorded: 'good',
  accepted: 'good',
  gone: 'good',
  trialing: 'note',
  bought: 'note',
  charge: 'good',
  recurrent: 'good',
  refund: 'bad',
  past_due: 'warn',
  on_hold: 'warn',
  paused: 'warn',
  incomplete: 'warn',
  revoked: 'bad',
  failed: 'bad',
  refunded: 'bad',
  needs_response: 'warn',
  under_review: 'note',
  won: 'good',
  lost: 'bad',
};

/** The badge of a state. */
export function badge(texts: Texts, state: string): Html {
  return html`<span class="badge ${kinds[state] ?? ''}">${named(texts, 'states', state)}</span>`;
}
