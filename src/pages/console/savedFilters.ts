import { anyMerchant } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { type PageResponse } from '../../kit/pages/page';
import { savedFilterEndpoints } from '../../savedFilters/savedFilters.endpoints';
import { type FilteredList, filterOf, listSavedFilters } from '../../savedFilters/savedFilters';
import { complaints, field, form, submit } from '../layout/forms';
import { icon } from '../layout/icons';
import { type Texts, textsFor } from '../layout/texts';
import { formPage, type PageState, type VisitWith } from './crudPages';
import { filled } from './fields';
import { folded, formCard, type MerchantVisit, refusedIf, type SectionName, showInConsole } from './frame';
import { withParameters } from './lists';

/** The filters of a list that a person has saved, as links above the list. */

interface List {
  address: string;
  section: SectionName;
}

const lists: Record<FilteredList, List> = {
  items: { address: '/console/items', section: 'catalogue' },
  packages: { address: '/console/packages', section: 'catalogue' },
  vouchers: { address: '/console/vouchers', section: 'vouchers' },
  customers: { address: '/console/customers', section: 'customers' },
  subscriptions: { address: '/console/subscriptions', section: 'subscriptions' },
  transactions: { address: '/console/transactions', section: 'transactions' },
  invoices: { address: '/console/invoices', section: 'transactions' },
  audit: { address: '/console/audit', section: 'audit' },
};

const home = '/console/filters/{list}';

const auth = anyMerchant();

export const savedFilterPages = {
  saveFilterInConsole: formPage({
    auth,
    path: home,
    summary: 'Saves the filter of a list under a name',
    work: ({ call, params, form: sent }) => {
      const list = listOf(params.list);
      const body = { list, name: sent['name'], query: filterOf(list, queryIn(sent)) };
      return call(savedFilterEndpoints.createSavedFilter, { body });
    },
    again: namePage,
    next: ({ list, query }) => pageWith(list, query, { done: 'saved' }),
  }),
  deleteSavedFilterInConsole: formPage({
    auth,
    path: `${home}/{id}/delete`,
    summary: 'Deletes a saved filter',
    work: ({ call, params: { id } }) => call(savedFilterEndpoints.deleteSavedFilter, { params: { id } }),
    next: (_done, { params }) => `${lists[listOf(params.list)].address}?done=deleted`,
  }),
};

/** The list with a filter. Its page has the customer in a field that also takes addresses and names. */
function pageWith(list: FilteredList, query: Record<string, string>, more: { done?: 'saved' } = {}): string {
  const { account_id: customer, ...others } = query;
  return withParameters(lists[list].address, { ...others, ...(customer !== undefined && { customer }), ...more });
}

function listOf(name: string): FilteredList {
  if (!Object.hasOwn(lists, name)) throw new AppError('not_found');
  return name as FilteredList;
}

const prefix = 'filter_';

const queryIn = (sent: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );

/** The saved filters of a list, and the form that saves its present one. */
export async function savedFilters(
  visit: MerchantVisit,
  texts: Texts,
  list: FilteredList,
  query: Record<string, string | undefined>,
): Promise<Html> {
  const { t } = texts;
  const { collection: saved } = await listSavedFilters(visit.caller, { list });
  const present = filterOf(list, query);
  const current = saved.find((filter) => isSame(filter.query, present));
  const chips = saved.map((filter) => chip(visit, texts, list, { ...filter, isCurrent: filter === current }));
  const isNew = current === undefined && Object.keys(present).length > 0;
  const content = html`${nameField(texts, {})} ${hiddenFields(present)} ${submit(t('common.save'), { kind: 'other' })}`;
  const save = form(visit, { action: actionOf(list), content, className: 'card filters', name: 'filter' });
  return html`${
    chips.length > 0 &&
    html`<ul class="chips" aria-label="${t('console.filters.title')}">
      ${chips}
    </ul>`
  }
  ${isNew && folded(t('console.filters.save'), save, false)}`;
}

const actionOf = (list: FilteredList) => `/console/filters/${list}`;

const isSame = (one: Record<string, string>, other: Record<string, string>) =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value);

interface Chip {
  id: number;
  name: string;
  query: Record<string, string>;
  isCurrent: boolean;
}

function chip(visit: MerchantVisit, { t }: Texts, list: FilteredList, { id, name, query, isCurrent }: Chip): Html {
  const label = t('console.filters.delete', { name });
  const content = html`<button type="submit" class="plain" aria-label="${label}" title="${label}">
    ${icon('close')}
  </button>`;
  return html`<li class="${isCurrent ? 'chip current' : 'chip'}">
    <a href="${pageWith(list, query)}" ${isCurrent ? html`aria-current="true"` : ''}>${name}</a>
    ${form(visit, { action: `${actionOf(list)}/${id}/delete`, content, className: 'row' })}
  </li>`;
}

function nameField(texts: Texts, { values = {}, complaint }: PageState): Html {
  const label = texts.t('console.fields.name');
  return field(texts, { ...filled(values, complaint)('name'), label, maxlength: 60, isRequired: true });
}

const hiddenFields = (query: Record<string, string>) =>
  Object.entries(query).map(([name, value]) => html`<input type="hidden" name="${prefix}${name}" value="${value}" />`);

/** The form of a refused name. */
function namePage(visit: VisitWith<'list'>, state: PageState): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const list = listOf(visit.params.list);
  const { section } = lists[list];
  const query = filterOf(list, queryIn((state.values ?? {}) as Record<string, string>));
  const content = html`${complaints(texts, state.complaint, { name: t('console.fields.name') })}
  ${nameField(texts, state)} ${hiddenFields(query)} ${submit(t('common.save'))}`;
  const back = { address: pageWith(list, query), text: t(`console.sections.${section}`) };
  const place = { section, title: t('console.filters.save'), back } as const;
  return showInConsole(visit, place, formCard(visit, actionOf(list), content), refusedIf(state.complaint));
}
