import { packageEndpoints } from '../../../items/packages.endpoints';
import { merchant } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { type RowOf } from '../../layout/answers';
import { complaints, field, submit, textarea } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, formPage, type PageState, type VisitWith } from '../crudPages';
import { filled } from '../fields';
import { formCard, refusedIf, type MerchantVisit, showInConsole } from '../frame';
import { savedFilters } from '../savedFilters';
import {
  badge,
  type Column,
  day,
  emptyOf,
  emptyWith,
  mayDo,
  orderIn,
  partIn,
  searchForm,
  sizedPager,
  sortingOf,
  table,
} from '../lists';
import { itemPage } from './items';
import { catalogueTabs } from './tabs';

const address = '/console/packages';
const writing = merchant('items:write');
const pages = crudPages({
  address,
  auth: merchant('items:read'),
  writing,
  list: packagesPage,
  blank: newPackagePage,
});
const { createPackage, listPackages, updateMembership } = packageEndpoints;

/** The page of the package, with an error beside its list of items. */
const afterwards = {
  again: (visit: VisitWith<'id'>, { complaint }: PageState) => itemPage(visit, { membersComplaint: complaint }),
  next: '/console/items/{id}?done=saved',
};

/** Packages of items that are sold together. The pages of items show and change a package. */
export const packagePages = {
  showPackages: pages.list('The packages'),
  showNewPackage: pages.new('A new package'),
  createPackageInConsole: pages.create(
    'Creates an empty package',
    ({ callOnce, form: body }) => callOnce(createPackage, { body }),
    { next: ({ id }) => `/console/items/${id}?done=created` },
  ),
  putIntoPackage: formPage({
    auth: writing,
    path: '/console/items/{id}/members',
    summary: 'Adds an item to a package',
    work: ({ call, params, form }) =>
      call(updateMembership, { params, body: { add_asset_ids: [form['item_id'] ?? ''] } }),
    ...afterwards,
  }),
  takeOutOfPackage: formPage({
    auth: writing,
    path: '/console/items/{id}/members/{item_id}/remove',
    summary: 'Removes an item from a package',
    work: ({ call, params: { id, item_id } }) =>
      call(updateMembership, { params: { id }, body: { remove_asset_ids: [item_id] } }),
    ...afterwards,
  }),
};

async function packagesPage(visit: MerchantVisit, state: PageState): Promise<PageResponse> {
  const { search = '', done } = state;
  const texts = textsFor(visit);
  const { t } = texts;
  const query = { ...partIn(state), active: 'all', ...(search !== '' && { search: [`title:${search}`] }) };
  const order = orderIn(state);
  const found = await visit.call(listPackages, { query });
  const next = { address: `${address}/new`, text: t('console.packages.create'), scope: 'items:write' } as const;
  const list = table({
    title: t('console.packages.title'),
    rows: found.collection,
    empty: emptyOf(texts, address, { search }, emptyWith(visit, t('console.packages.none'), next)),
    columns: packageColumns(texts),
    sorting: sortingOf(visit, texts, order),
  });
  const actions =
    mayDo(visit, 'items:write') &&
    html`<a class="button main" href="${address}/new">${t('console.packages.create')}</a>`;
  const place = { section: 'catalogue', title: t('console.sections.catalogue'), actions, done } as const;
  return showInConsole(
    visit,
    place,
    html`${catalogueTabs(texts, address)} ${searchForm(texts, { action: address, search, ...order })}
    ${await savedFilters(visit, texts, 'packages', { search, ...order })} ${list}
    ${sizedPager(visit, texts, found, { list: 'packages', query })}`,
  );
}

function packageColumns(texts: Texts): Column<RowOf<typeof listPackages>>[] {
  const { t, number } = texts;
  return [
    {
      title: t('console.fields.title'),
      cell: ({ id, title }) => html`<a href="/console/items/${id}">${title}</a>`,
      sort: { by: 'title', first: 'asc' },
    },
    { title: t('console.fields.id'), cell: ({ id }) => id },
    { title: t('console.packages.items'), cell: ({ items }) => number(items), isNumber: true },
    { title: t('console.fees.title'), cell: ({ access_fees }) => number(access_fees.length), isNumber: true },
    { title: t('console.fields.state'), cell: ({ is_active }) => badge(texts, is_active ? 'active' : 'inactive') },
    {
      title: t('console.fields.createdAt'),
      cell: ({ created_at }) => day(texts, created_at),
      sort: { by: 'created', first: 'desc' },
    },
  ];
}

function newPackagePage(visit: Visit, { values = {}, complaint }: PageState): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const known = filled(values, complaint);
  const content = html`${complaints(texts, complaint, ['title', 'content'])}
  ${field(texts, { ...known('title'), label: t('console.fields.title'), isRequired: true, maxlength: 250 })}
  ${textarea(texts, { ...known('content'), label: t('console.items.contents.package'), hint: t('console.items.contentHints.package') })}
  ${submit(t('console.packages.create'))}`;
  const place = {
    section: 'catalogue',
    title: t('console.packages.createTitle'),
    back: { address, text: t('console.packages.title') },
  } as const;
  return showInConsole(visit, place, formCard(visit, `${address}/new`, content), refusedIf(complaint));
}
