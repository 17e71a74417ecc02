import { z } from 'zod';
import { assetEndpoints } from '../../items/assets/endpoints';
import { itemEndpoints } from '../../items/endpoints';
import { type Caller, merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../kit/pages/page';
import { attempt, type Complaint } from '../layout/explain';
import { checkbox, complaints, field, form, select, submit, textarea } from '../layout/forms';
import { type Texts, textsFor } from '../layout/texts';
import { feesOf } from './fees';
import { AnyForm, asText } from './fields';
import { asking, IdPath, inConsole, listQuery, named, showInConsole } from './frame';
import { badge, day, facts, pager, table } from './lists';
import { given } from './transactions';

const reading = { ...inConsole, auth: merchant('items:read'), method: 'get' } as const;
const writing = { ...inConsole, auth: merchant('items:write'), method: 'post' } as const;

/** Items: what is protected, and what it costs. */
export const cataloguePages = {
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
      return showInConsole(
        visit,
        place,
        html`${searchForm(texts, '/console/items', search)} ${itemTable(texts, found.collection)}
        ${pager(visit, texts, found)}`,
      );
    },
  }),
  showNewItem: page({
    ...reading,
    auth: merchant('items:write'),
    path: '/console/items/new',
    summary: 'A new item',
    handler: (visit) => Promise.resolve(newItemPage(visit)),
  }),
  createItemInConsole: page({
    ...writing,
    path: '/console/items/new',
    summary: 'Protects an item',
    form: AnyForm,
    handler: async (visit) => {
      const body = visit.form;
      const tried = await attempt(textsFor(visit), () => visit.call(itemEndpoints.createItem, { body }));
      if ('refused' in tried) return newItemPage(visit, body, tried.refused);
      return new Redirect(`/console/items/${tried.done.id}?done=created`);
    },
  }),
  showItem: page({
    ...reading,
    path: '/console/items/{id}',
    summary: 'One item with its fees',
    params: IdPath,
    query: z.object(listQuery),
    handler: (visit) => itemPage(visit, visit.params.id, { done: visit.query.done }),
  }),
  updateItemInConsole: page({
    ...writing,
    path: '/console/items/{id}',
    summary: 'Changes an item',
    params: IdPath,
    form: AnyForm,
    handler: async (visit) => {
      const { params, form: sent } = visit;
      const body = {
        ...sent,
        is_giftable: sent['is_giftable'] ?? 'false',
        plan_switch_enabled: sent['plan_switch_enabled'] ?? 'false',
      };
      const tried = await attempt(textsFor(visit), () => visit.call(itemEndpoints.updateItem, { params, body }));
      if ('refused' in tried) return itemPage(visit, params.id, { complaint: tried.refused, values: sent });
      return new Redirect(`/console/items/${params.id}?done=saved`);
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

export function searchForm(texts: Texts, action: string, search: string, hint?: string): Html {
  const { t } = texts;
  return html`<form method="get" action="${action}" class="card filters" role="search">
    ${field(texts, { name: 'search', type: 'search', label: hint ?? t('common.search'), value: search, isRequired: true })}
    ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}

interface ItemRow {
  id: number;
  title: string;
  item_type: { name: string };
  is_active: boolean;
  access_control_type: { name: string };
  created_at: number;
}

function itemTable(texts: Texts, rows: readonly ItemRow[]): Html {
  const { t } = texts;
  return table({
    title: t('console.sections.catalogue'),
    rows,
    empty: t('console.items.none'),
    columns: [
      { title: t('console.fields.title'), cell: ({ id, title }) => html`<a href="/console/items/${id}">${title}</a>` },
      { title: t('console.fields.id'), cell: ({ id }) => id },
      { title: t('console.fields.type'), cell: ({ item_type }) => named(texts, 'itemTypes', item_type.name) },
      {
        title: t('console.fields.accessControl'),
        cell: ({ access_control_type }) => named(texts, 'accessControl', access_control_type.name),
      },
      { title: t('console.fields.state'), cell: ({ is_active }) => badge(texts, is_active ? 'active' : 'inactive') },
      { title: t('console.fields.createdAt'), cell: ({ created_at }) => day(texts, created_at) },
    ],
  });
}

const typeNames = [
  'html_asset',
  'video_asset',
  'file_asset',
  'rss_asset',
  'jw_asset',
  'wistia_asset',
  'kaltura_asset',
  'brightcove_asset',
  'cloudfront_asset',
] as const;
const itemFields = ['title', 'item_type', 'access_control_type_id', 'content', 'external_asset_id'] as const;

function itemFieldset(texts: Texts, values: Record<string, unknown>, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = (name: string) => ({ name, value: asText(values[name]), complaint });
  const current = asText(values['item_type']);
  const names =
    current === undefined || (typeNames as readonly string[]).includes(current) ? typeNames : [...typeNames, current];
  const controls = ['Paid', 'Code', 'Auth', 'DataCapture'] as const;
  return html`${complaints(texts, complaint, itemFields)}
    ${field(texts, { ...known('title'), label: t('console.fields.title'), isRequired: true, maxlength: 250 })}
    <div class="halves">
      ${select(texts, {
        ...known('item_type'),
        label: t('console.fields.type'),
        choices: names.map((name) => [name, named(texts, 'itemTypes', name)] as const),
        isRequired: true,
      })}
      ${select(texts, {
        ...known('access_control_type_id'),
        label: t('console.fields.accessControl'),
        choices: controls.map((name, index) => [String(index + 1), t(`console.accessControl.${name}`)] as const),
        isRequired: true,
      })}
    </div>
    ${textarea(texts, { ...known('content'), label: t('console.fields.content'), hint: t('console.items.contentHint') })}
    ${field(texts, { ...known('external_asset_id'), label: t('console.fields.externalId'), hint: t('console.items.externalHint') })}
    ${checkbox({ name: 'is_giftable', label: t('console.items.giftable'), isChecked: values['is_giftable'] === 'true' })}
    ${checkbox({
      name: 'plan_switch_enabled',
      label: t('console.items.switchable'),
      isChecked: values['plan_switch_enabled'] === 'true',
    })}`;
}

function newItemPage(visit: Visit, values: Record<string, unknown> = {}, complaint?: Complaint): Shown {
  const texts = textsFor(visit);
  const { t } = texts;
  const content = html`${itemFieldset(texts, values, complaint)} ${submit(t('console.items.create'))}`;
  const place = {
    section: 'catalogue',
    title: t('console.items.createTitle'),
    back: { address: '/console/items', text: t('console.sections.catalogue') },
  } as const;
  const whole = html`<div class="card">${form(visit, { action: '/console/items/new', content })}</div>`;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

interface Tried {
  complaint?: Complaint;
  values?: Record<string, unknown>;
  done?: string | undefined;
}

async function itemPage(visit: Visit & { caller: Caller }, id: string, { complaint, values, done }: Tried) {
  const texts = textsFor(visit);
  const { t } = texts;
  const { merchantUuid } = visit.caller;
  const item = await visit.call(assetEndpoints.getMerchantItem, { params: { merchant_uuid: merchantUuid, id } });
  const stored = {
    ...item,
    item_type: item.item_type.name,
    access_control_type_id: item.access_control_type.id,
    external_asset_id: item.external_asset_id ?? '',
    is_giftable: String(item.is_giftable),
    plan_switch_enabled: String(item.plan_switch_enabled),
  };
  const content = html`${itemFieldset(texts, values ?? stored, complaint)} ${submit(t('common.save'))}`;
  const paywall = `/paywall/${merchantUuid}/${item.id}`;
  const place = {
    section: 'catalogue',
    title: item.title,
    back: { address: '/console/items', text: t('console.sections.catalogue') },
    actions: html`<a class="button" href="${paywall}">${t('console.items.openPaywall')}</a
      >${onSale(visit, texts, item)}`,
    done,
  } as const;
  const about = facts([
    [t('console.fields.id'), item.id],
    [t('console.fields.state'), badge(texts, item.is_active ? 'active' : 'inactive')],
    [t('console.fields.createdAt'), day(texts, item.created_at)],
    [t('console.items.paywallAddress'), html`<code>${visit.origin}${paywall}</code>`],
    [t('console.items.embed'), html`<code>${embedCode(visit.origin, item.merchant_uuid, item.id)}</code>`],
  ]);
  const whole = html`<section class="card stack">${about}</section>
    ${feesOf(visit, texts, item)}
    <section class="card stack">
      <h2>${t('console.items.edit')}</h2>
      ${form(visit, { action: `/console/items/${item.id}`, content })}
    </section>`;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

/** As docs/embedding.md has it: in the place where the paywall is to be. */
const embedCode = (origin: string, merchantUuid: string, itemId: number) =>
  `<script src="${origin}/embed.js" defer></script>` +
  `<div data-paywall-merchant="${merchantUuid}" data-paywall-item="${itemId}" data-paywall-inline></div>`;

function onSale(visit: Visit, { t }: Texts, { id, is_active }: { id: number; is_active: boolean }): Html {
  const action = `/console/items/${id}/${is_active ? 'deactivate' : 'reactivate'}`;
  if (!is_active) return form(visit, { action, content: submit(t('console.items.reactivate')) });
  return asking(visit, {
    action,
    label: t('console.items.deactivate'),
    question: t('console.items.deactivateQuestion'),
  });
}
