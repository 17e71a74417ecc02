import { z } from 'zod';
import { assetEndpoints } from '../../../items/assets/endpoints';
import { itemEndpoints } from '../../../items/endpoints';
import { type Caller, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { form, submit } from '../../layout/forms';
import { show } from '../../layout/page';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm, type Tried } from '../fields';
import { asking, carryOut, formCard, IdPath, inConsole, listQuery, named, refusedIf, showInConsole } from '../frame';
import { badge, type Column, day, facts, given, pager, searchForm, table } from '../lists';
import { feesOf } from './fees';
import { itemBody, itemFields, kindPart, storedValues } from './itemForm';
import { membersOf } from './members';
import { catalogueTabs, itemTabs } from './tabs';

const reading = { ...inConsole, auth: merchant('items:read'), method: 'get' } as const;
const writing = { ...inConsole, auth: merchant('items:write'), method: 'post' } as const;

/** Items: what is protected, and what it costs. */
export const itemPages = {
  showItems: page({
    ...reading,
    path: '/console/items',
    summary: 'The items',
    query: z.object({ ...listQuery, active: z.string().optional() }),
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const { search = '', page: at, active = 'all', done } = visit.query;
      const query = { ...given({ page: at, active }), ...(search !== '' && { search: [`title:${search}`] }) };
      const found = await visit.call(itemEndpoints.listItems, { query });
      const actions = html`<a class="button main" href="/console/items/new">${t('console.items.create')}</a>`;
      const place = { section: 'catalogue', title: t('console.sections.catalogue'), actions, done } as const;
      const list = table({
        title: place.title,
        rows: found.collection,
        empty: t('console.items.none'),
        columns: itemColumns(texts),
      });
      return showInConsole(
        visit,
        place,
        html`${catalogueTabs(texts, '/console/items')} ${searchForm(texts, '/console/items', search)} ${list}
        ${pager(visit, texts, found, { list: 'items', query })}`,
      );
    },
  }),
  showNewItem: page({
    ...reading,
    auth: merchant('items:write'),
    path: '/console/items/new',
    summary: 'A new item',
    handler: (visit) => Promise.resolve(newItemPage(visit, { values: { plan_switch_enabled: 'true' } })),
  }),
  createItemInConsole: page({
    ...writing,
    path: '/console/items/new',
    summary: 'Protects an item',
    form: AnyForm,
    handler: (visit) =>
      carryOut(visit, {
        work: () => visit.call(itemEndpoints.createItem, { body: itemBody(visit.form) }),
        again: (complaint) => newItemPage(visit, { complaint, values: visit.form }),
        next: ({ id }) => `/console/items/${id}?done=created`,
      }),
  }),
  /** A fragment: what another kind of item asks for. By POST, because a content may be long. */
  showItemFields: page({
    ...writing,
    path: '/console/items/fields',
    summary: 'The fields of a kind of item',
    form: AnyForm,
    handler: (visit) => Promise.resolve(show(visit, { title: '' }, kindPart(textsFor(visit), visit.form, {}))),
  }),
  showItem: page({
    ...reading,
    path: '/console/items/{id}',
    summary: 'One item with its fees',
    params: IdPath,
    query: z.object({ ...listQuery, find: z.string().optional() }),
    handler: (visit) => itemPage(visit, visit.params.id, visit.query),
  }),
  replaceItemInConsole: page({
    ...writing,
    path: '/console/items/{id}',
    summary: 'Changes an item',
    params: IdPath,
    form: AnyForm,
    handler: (visit) => {
      const { params, form: sent } = visit;
      return carryOut(visit, {
        work: async () => {
          const body = itemBody(sent, await storedItem(visit, params.id));
          return visit.call(itemEndpoints.replaceItem, { params, body });
        },
        again: (complaint) => itemPage(visit, params.id, { complaint, values: sent }),
        next: `/console/items/${params.id}?done=saved`,
      });
    },
  }),
  deactivateItem: page({
    ...writing,
    path: '/console/items/{id}/deactivate',
    summary: 'Sells an item no longer',
    params: IdPath,
    handler: async (visit) => {
      await visit.call(itemEndpoints.deleteItem, { params: visit.params });
      return new Redirect(`/console/items/${visit.params.id}?done=changed`);
    },
  }),
  reactivateItemInConsole: page({
    ...writing,
    path: '/console/items/{id}/reactivate',
    summary: 'Sells an item again',
    params: IdPath,
    handler: async (visit) => {
      await visit.call(itemEndpoints.reactivateItem, { params: visit.params });
      return new Redirect(`/console/items/${visit.params.id}?done=changed`);
    },
  }),
};

interface ItemRow {
  id: number;
  title: string;
  item_type: { name: string };
  is_active: boolean;
  access_control_type: { name: string };
  created_at: number;
}

function itemColumns(texts: Texts): Column<ItemRow>[] {
  const { t } = texts;
  return [
    { title: t('console.fields.title'), cell: ({ id, title }) => html`<a href="/console/items/${id}">${title}</a>` },
    { title: t('console.fields.id'), cell: ({ id }) => id },
    { title: t('console.fields.type'), cell: ({ item_type }) => named(texts, 'itemTypes', item_type.name) },
    {
      title: t('console.fields.accessControl'),
      cell: ({ access_control_type }) => named(texts, 'accessControl', access_control_type.name),
    },
    { title: t('console.fields.state'), cell: ({ is_active }) => badge(texts, is_active ? 'active' : 'inactive') },
    { title: t('console.fields.createdAt'), cell: ({ created_at }) => day(texts, created_at) },
  ];
}

function newItemPage(visit: Visit, { values = {}, complaint }: Tried): Shown {
  const texts = textsFor(visit);
  const { t } = texts;
  const content = html`${itemFields(texts, values, { complaint })} ${submit(t('console.items.create'))}`;
  const place = {
    section: 'catalogue',
    title: t('console.items.createTitle'),
    back: { address: '/console/items', text: t('console.sections.catalogue') },
  } as const;
  return showInConsole(visit, place, formCard(visit, '/console/items/new', content), refusedIf(complaint));
}

type MerchantVisit = Visit & { caller: Caller };

/** With its content, and all its fees. */
export function storedItem(visit: MerchantVisit, id: string) {
  const params = { merchant_uuid: visit.caller.merchantUuid, id };
  return visit.call(assetEndpoints.getMerchantItem, { params });
}

export async function itemPage(
  visit: MerchantVisit,
  id: string,
  {
    complaint,
    values,
    done,
    membersComplaint,
    page: membersPage,
    find,
  }: Tried & { membersComplaint?: Tried['complaint']; page?: string | undefined; find?: string | undefined },
): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const item = await storedItem(visit, id);
  const isPackage = item.item_type.name === 'package';
  // What a code, a sign-in or an address opens needs no fee.
  const isSold = item.access_control_type.name === 'Paid' || item.access_fees.length > 0;
  const fields = itemFields(texts, values ?? storedValues(item), { complaint, isPackage });
  const paywall = `/paywall/${visit.caller.merchantUuid}/${item.id}`;
  const place = {
    section: 'catalogue',
    title: item.title,
    back: isPackage
      ? { address: '/console/packages', text: t('console.packages.title') }
      : { address: '/console/items', text: t('console.sections.catalogue') },
    actions: html`<a class="button slim" href="${paywall}">${t('console.items.openPaywall')}</a
      >${onSale(visit, texts, item)}`,
    done,
  } as const;
  const about = facts([
    [t('console.fields.id'), item.id],
    [t('console.fields.state'), badge(texts, item.is_active ? 'active' : 'inactive')],
    [t('console.fields.createdAt'), day(texts, item.created_at)],
    [t('console.items.paywallAddress'), html`<code dir="ltr">${visit.origin}${paywall}</code>`],
    [t('console.items.embed'), html`${embedCode(visit.origin, item.merchant_uuid, item.id)}`],
  ]);
  const whole = html`${isPackage ? '' : itemTabs(texts, item.id, '')}
    <section class="card stack">${about}</section>
    ${isPackage ? await membersOf(visit, texts, id, { page: membersPage, find, complaint: membersComplaint }) : ''}
    ${isSold && feesOf(visit, texts, item)}
    ${formCard(visit, `/console/items/${item.id}`, html`${fields} ${submit(t('common.save'))}`, t(isPackage ? 'console.packages.edit' : 'console.items.edit'))}`;
  return showInConsole(visit, place, whole, refusedIf(complaint ?? membersComplaint));
}

/** As docs/embedding.md has it: in the place where the paywall is to be. */
function embedCode(origin: string, merchantUuid: string, itemId: number): Html {
  const script = `<script src="${origin}/embed.js" defer></script>`;
  const place = `<div data-paywall-merchant="${merchantUuid}" data-paywall-item="${itemId}" data-paywall-inline></div>`;
  return html`<code dir="ltr">${script}<br />${place}</code>`;
}

function onSale(visit: Visit, { t }: Texts, { id, is_active }: { id: number; is_active: boolean }): Html {
  const action = `/console/items/${id}/${is_active ? 'deactivate' : 'reactivate'}`;
  if (!is_active) return form(visit, { action, content: submit(t('console.items.reactivate')) });
  return asking(visit, {
    action,
    label: t('console.items.deactivate'),
    question: t('console.items.deactivateQuestion'),
  });
}
