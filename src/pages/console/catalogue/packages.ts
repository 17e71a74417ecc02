import { z } from 'zod';
import { packageEndpoints } from '../../../items/packages/endpoints';
import { merchant } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { page, type Shown, type Visit } from '../../../kit/pages/page';
import { complaints, field, submit, textarea } from '../../layout/forms';
import { textsFor } from '../../layout/texts';
import { AnyForm, filled, type Tried } from '../fields';
import { carryOut, formCard, IdPath, inConsole, ListQuery, refusedIf, showInConsole } from '../frame';
import { badge, day, given, pager, searchForm, table } from '../lists';
import { itemPage } from './items';
import { catalogueTabs } from './tabs';

const reading = { ...inConsole, auth: merchant('items:read'), method: 'get' } as const;
const writing = { ...inConsole, auth: merchant('items:write') } as const;
const address = '/console/packages';

/** Packages: items that are sold together. One is looked at and changed as an item. */
export const packagePages = {
  showPackages: page({
    ...reading,
    path: address,
    summary: 'The packages',
    query: ListQuery,
    handler: packagesPage,
  }),
  showNewPackage: page({
    ...writing,
    method: 'get',
    path: `${address}/new`,
    summary: 'A new package',
    handler: (visit) => Promise.resolve(newPackagePage(visit, {})),
  }),
  createPackageInConsole: page({
    ...writing,
    method: 'post',
    path: `${address}/new`,
    summary: 'Creates a package, still empty',
    form: AnyForm,
    handler: (visit) =>
      carryOut(visit, {
        work: () => visit.call(packageEndpoints.createPackage, { body: visit.form }),
        again: (complaint) => newPackagePage(visit, { complaint, values: visit.form }),
        next: ({ id }) => `/console/items/${id}?done=created`,
      }),
  }),
  putIntoPackage: page({
    ...writing,
    method: 'post',
    path: '/console/items/{id}/members',
    summary: 'Puts an item into a package',
    params: IdPath,
    form: z.object({ item_id: z.string().optional() }),
    handler: (visit) => {
      const { params, form } = visit;
      const body = { add_asset_ids: [form.item_id ?? ''] };
      return carryOut(visit, {
        work: () => visit.call(packageEndpoints.updateMembership, { params, body }),
        again: (membersComplaint) => itemPage(visit, params.id, { membersComplaint }),
        next: `/console/items/${params.id}?done=saved`,
      });
    },
  }),
  takeOutOfPackage: page({
    ...writing,
    method: 'post',
    path: '/console/items/{id}/members/{item_id}/remove',
    summary: 'Takes an item out of a package',
    params: z.object({ id: z.string(), item_id: z.string() }),
    handler: (visit) => {
      const { id, item_id } = visit.params;
      const body = { remove_asset_ids: [item_id] };
      return carryOut(visit, {
        work: () => visit.call(packageEndpoints.updateMembership, { params: { id }, body }),
        again: (membersComplaint) => itemPage(visit, id, { membersComplaint }),
        next: `/console/items/${id}?done=saved`,
      });
    },
  }),
};

type ListVisit = Visit & { query: Record<'page' | 'search' | 'done', string | undefined> };

async function packagesPage(visit: Visit & { query: Partial<ListVisit['query']> }): Promise<Shown> {
  const texts = textsFor(visit);
  const { t, number } = texts;
  const { search = '', page: at, done } = visit.query;
  const query = { ...given({ page: at }), active: 'all', ...(search !== '' && { search: [`title:${search}`] }) };
  const found = await visit.call(packageEndpoints.listPackages, { query });
  const list = table({
    title: t('console.packages.title'),
    rows: found.collection,
    empty: t('console.packages.none'),
    columns: [
      { title: t('console.fields.title'), cell: ({ id, title }) => html`<a href="/console/items/${id}">${title}</a>` },
      { title: t('console.fields.id'), cell: ({ id }) => id },
      { title: t('console.packages.items'), cell: ({ items }) => number(items), isNumber: true },
      { title: t('console.fees.title'), cell: ({ access_fees }) => number(access_fees.length), isNumber: true },
      { title: t('console.fields.state'), cell: ({ is_active }) => badge(texts, is_active ? 'active' : 'inactive') },
      { title: t('console.fields.createdAt'), cell: ({ created_at }) => day(texts, created_at) },
    ],
  });
  const actions = html`<a class="button main" href="${address}/new">${t('console.packages.create')}</a>`;
  const place = { section: 'catalogue', title: t('console.sections.catalogue'), actions, done } as const;
  return showInConsole(
    visit,
    place,
    html`${catalogueTabs(texts, address)} ${searchForm(texts, address, search)} ${list}
    ${pager(visit, texts, found, { list: 'packages', query })}`,
  );
}

function newPackagePage(visit: Visit, { values = {}, complaint }: Tried): Shown {
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
