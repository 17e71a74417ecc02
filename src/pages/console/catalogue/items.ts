import { imageEndpoints } from '../../../images/images.endpoints';
import { assetEndpoints } from '../../../items/assets.endpoints';
import { itemEndpoints } from '../../../items/items.endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type PageResponse, type Visit } from '../../../kit/pages/page';
import { copyable, copyableInRow } from '../../layout/copyable';
import { type AnswerOf, type RowOf } from '../../layout/answers';
import { form, submit } from '../../layout/forms';
import { show } from '../../layout/page';
import { named, type Texts, textsFor } from '../../layout/texts';
import { changesOf } from '../changes';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { AnyForm } from '../fields';
import {
  confirmButton,
  formCard,
  inConsole,
  type MerchantVisit,
  readOnlyCard,
  refusedIf,
  showInConsole,
} from '../frame';
import {
  badge,
  type Column,
  day,
  emptyOf,
  emptyWith,
  facts,
  mayDo,
  mayUse,
  orderIn,
  partIn,
  searchForm,
  sizedPager,
  sortingOf,
  table,
} from '../lists';
import { type PictureFault, picturePages, pictureSection, shownPicture } from '../pictures';
import { savedFilters } from '../savedFilters';
import { feesOf } from './fees';
import { itemBody, itemFields, kindPart, storedValues } from './itemForm';
import { membersOf } from './members';
import { catalogueTabs, itemTabs } from './tabs';

const address = '/console/items';
const writing = merchant('items:write');
const pages = crudPages({
  address,
  auth: merchant('items:read'),
  writing,
  list: itemsPage,
  blank: newItemPage,
  one: itemPage,
});
const { createItem, deleteItem, listItems, reactivateItem, replaceItem } = itemEndpoints;
const changed = { next: `${address}/{id}?done=changed` };

const cover = picturePages({
  auth: writing,
  path: `${address}/{id}/cover`,
  summary: { upload: 'Uploads the cover of an item', remove: 'Removes the cover of an item' },
  name: () => 'cover',
  upload: (visit, file) => visit.call(imageEndpoints.uploadItemCover, { file }),
  save: async (visit, url) => {
    const id = idIn(visit);
    const stored = await storedItem(visit, id);
    const body = itemBody({ ...storedValues(stored), preview_image: url }, stored);
    return visit.call(replaceItem, { params: { id }, body });
  },
  again: (visit, fault) => itemPage({ ...visit, params: { id: idIn(visit) } }, { fault }),
  next: (visit) => `${address}/${idIn(visit)}?done=saved`,
});
const idIn = ({ params }: { params: Record<string, string> }) => params['id'] ?? '';

/** Items and their prices. */
export const itemPages = {
  uploadCover: cover.upload,
  removeCover: cover.remove,
  showItems: pages.list('The items'),
  showNewItem: pages.new('A new item'),
  createItemInConsole: pages.create(
    'Creates an item',
    ({ callOnce, form }) => callOnce(createItem, { body: itemBody(form) }),
    { next: ({ id }) => `${address}/${id}?done=created` },
  ),
  /** The fields of another type of item, as a fragment. The method is POST, because the content may be long. */
  showItemFields: page({
    ...inConsole,
    auth: writing,
    method: 'post',
    path: `${address}/fields`,
    summary: 'The fields of an item type',
    form: AnyForm,
    handler: (visit) => Promise.resolve(show(visit, { title: '' }, kindPart(textsFor(visit), visit.form, {}))),
  }),
  showItem: pages.show('One item with its fees'),
  replaceItemInConsole: pages.update(
    'Changes an item',
    async (visit) => {
      const { params, form } = visit;
      return visit.call(replaceItem, { params, body: itemBody(form, await storedItem(visit, params.id)) });
    },
    { next: `${address}/{id}?done=saved` },
  ),
  deactivateItem: pages.act('deactivate')(
    'Takes an item off sale',
    ({ call, params }) => call(deleteItem, { params }),
    changed,
  ),
  reactivateItemInConsole: pages.act('reactivate')(
    'Puts an item on sale again',
    ({ call, params }) => call(reactivateItem, { params }),
    changed,
  ),
};

async function itemsPage(visit: MerchantVisit, state: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { search = '', active = 'all', done } = state;
  const query = { ...partIn(state), active, ...(search !== '' && { search: [`title:${search}`] }) };
  const order = orderIn(state);
  const found = await visit.call(listItems, { query });
  const actions =
    mayDo(visit, 'items:write') && html`<a class="button main" href="${address}/new">${t('console.items.create')}</a>`;
  const place = { section: 'catalogue', title: t('console.sections.catalogue'), actions, done } as const;
  const next = { address: `${address}/new`, text: t('console.items.create'), scope: 'items:write' } as const;
  const none = emptyWith(visit, t('console.items.none'), next);
  const list = table({
    title: place.title,
    rows: found.collection,
    empty: emptyOf(texts, address, { search, ...(active !== 'all' && { active }) }, none),
    columns: itemColumns(texts),
    sorting: sortingOf(visit, texts, order),
  });
  const content = html`${catalogueTabs(texts, address)} ${searchForm(texts, { action: address, search, ...order })}
  ${await savedFilters(visit, texts, 'items', { search, ...order })} ${list}
  ${sizedPager(visit, texts, found, { list: 'items', query })}`;
  return showInConsole(visit, place, content);
}

function itemColumns(texts: Texts): Column<RowOf<typeof listItems>>[] {
  const { t } = texts;
  return [
    {
      title: t('console.fields.title'),
      cell: ({ id, title }) => html`<a href="${address}/${id}">${title}</a>`,
      sort: { by: 'title', first: 'asc' },
    },
    { title: t('console.fields.id'), cell: ({ id }) => copyableInRow(texts, { value: String(id) }) },
    { title: t('console.fields.type'), cell: ({ item_type }) => named(texts, 'itemTypes', item_type.name) },
    {
      title: t('console.fields.accessControl'),
      cell: ({ access_control_type }) => named(texts, 'accessControl', access_control_type.name),
    },
    { title: t('console.fields.state'), cell: ({ is_active }) => badge(texts, is_active ? 'active' : 'inactive') },
    {
      title: t('console.fields.createdAt'),
      cell: ({ created_at }) => day(texts, created_at),
      sort: { by: 'created', first: 'desc' },
    },
  ];
}

function newItemPage(visit: Visit, { values = { plan_switch_enabled: 'true' }, complaint }: PageState): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const content = html`${itemFields(texts, values, { complaint })} ${submit(t('console.items.create'))}`;
  const place = {
    section: 'catalogue',
    title: t('console.items.createTitle'),
    back: { address, text: t('console.sections.catalogue') },
  } as const;
  return showInConsole(visit, place, formCard(visit, `${address}/new`, content), refusedIf(complaint));
}

/** Reads the item with its content and all its fees. */
export function storedItem(visit: MerchantVisit, id: string) {
  const params = { merchant_uuid: visit.caller.merchantUuid, id };
  return visit.call(assetEndpoints.getMerchantItem, { params });
}

type ItemState = PageState & { membersComplaint?: PageState['complaint']; fault?: PictureFault };

export async function itemPage(visit: VisitWith<'id'>, state: ItemState): Promise<PageResponse> {
  const { complaint, values, done, membersComplaint, fault } = state;
  const { id } = visit.params;
  const texts = textsFor(visit);
  const { t } = texts;
  const item = await storedItem(visit, id);
  const isPackage = item.item_type.name === 'package';
  const mayWrite = mayDo(visit, 'items:write');
  // An item that opens with a code, a sign-in or an address needs no fee.
  const isSold = item.access_control_type.name === 'Paid' || item.access_fees.length > 0;
  const fields = itemFields(texts, values ?? storedValues(item), { complaint, isPackage });
  const formTitle = t(isPackage ? 'console.packages.edit' : 'console.items.edit');
  const place = {
    section: 'catalogue',
    title: item.title,
    back: isPackage
      ? { address: '/console/packages', text: t('console.packages.title') }
      : { address, text: t('console.sections.catalogue') },
    actions: html`<a class="button slim" href="${paywallOf(item)}">${t('console.items.openPaywall')}</a
      >${onSale(visit, texts, item)}`,
    done,
  } as const;
  const whole = html`${isPackage ? '' : itemTabs(visit, texts, item.id, '')} ${aboutItem(visit, texts, item)}
  ${isPackage ? await membersOf(visit, texts, { ...state, complaint: membersComplaint }) : ''}
  ${isSold && feesOf(visit, texts, item)}
  ${mayWrite ? formCard(visit, `${address}/${id}`, html`${fields} ${submit(t('common.save'))}`, formTitle) : readOnlyCard(fields, formTitle)}
  ${coverOf(visit, texts, item, fault)} ${await changesOf(visit, texts, { type: 'item', id })}`;
  return showInConsole(visit, place, whole, refusedIf(complaint ?? membersComplaint ?? fault?.complaint));
}

function coverOf(visit: MerchantVisit, texts: Texts, item: Item, fault: PictureFault | undefined): Html {
  const { t } = texts;
  const url = item.metahash['preview_image'] ?? '';
  const shown = { name: 'cover', title: t('console.pictures.itemCover'), url };
  if (!mayDo(visit, 'items:write')) return shownPicture(visit, texts, shown);
  const action = `${address}/${item.id}/cover`;
  return pictureSection(visit, texts, { ...shown, hint: t('console.pictures.coverHint'), action, fault });
}

type Item = AnswerOf<typeof assetEndpoints.getMerchantItem>;

const paywallOf = ({ merchant_uuid, id }: Item) => `/paywall/${merchant_uuid}/${id}`;

function aboutItem({ origin }: Visit, texts: Texts, item: Item): Html {
  const { t } = texts;
  const about = facts([
    [t('console.fields.id'), item.id],
    [t('console.fields.state'), badge(texts, item.is_active ? 'active' : 'inactive')],
    [t('console.fields.createdAt'), day(texts, item.created_at)],
    [
      t('console.items.paywallAddress'),
      copyable(texts, { value: `${origin}${paywallOf(item)}`, name: t('console.items.paywallAddress') }),
    ],
    [t('console.items.embed'), embedCode(texts, origin, item)],
  ]);
  return html`<section class="card stack">${about}</section>`;
}

/** The code that embeds the paywall in a page. docs/embedding.md describes it. */
function embedCode(texts: Texts, origin: string, { merchant_uuid: merchantUuid, id }: Item): Html {
  const script = `<script src="${origin}/embed.js" defer></script>`;
  const place = `<div data-paywall-merchant="${merchantUuid}" data-paywall-item="${id}" data-paywall-inline></div>`;
  const shown = html`${script}<br />${place}`;
  return copyable(texts, { value: `${script}\n${place}`, name: texts.t('console.items.embed'), shown });
}

function onSale(visit: Visit, { t }: Texts, { id, is_active }: { id: number; is_active: boolean }): Html | false {
  if (!mayUse(visit, is_active ? deleteItem : reactivateItem)) return false;
  const action = `${address}/${id}/${is_active ? 'deactivate' : 'reactivate'}`;
  if (!is_active) return form(visit, { action, content: submit(t('console.items.reactivate')) });
  return confirmButton(visit, {
    action,
    label: t('console.items.deactivate'),
    question: t('console.items.deactivateQuestion'),
  });
}
