import { packageEndpoints } from '../../../items/packages.endpoints';
import { listHeld } from '../../../items/packages';
import { html, type Html } from '../../../kit/html';
import { type RowOf } from '../../layout/answers';
import { complaints, form, select, submit } from '../../layout/forms';
import { named, type Texts } from '../../layout/texts';
import { type PageState, type VisitWith } from '../crudPages';
import { confirmButton } from '../frame';
import { type Column, given, mayDo, pager, table } from '../lists';
import { findChoices, findForm } from './choices';

const { listPackageItems } = packageEndpoints;

/** The items of a package, and those that can be added. */
export async function membersOf(visit: VisitWith<'id'>, texts: Texts, state: PageState): Promise<Html> {
  const { t } = texts;
  const { id } = visit.params;
  const query = given({ page: state.page });
  const held = await visit.call(listPackageItems, { params: { id }, query });
  const list = table({
    title: t('console.packages.items'),
    rows: held.collection,
    empty: t('console.packages.noItems'),
    columns: memberColumns(visit, texts),
  });
  return html`<section class="stack" id="members">
    <h2>${t('console.packages.items')}</h2>
    ${list} ${pager(visit, texts, held, { list: 'items', query: { package_id: id, active: 'active' } })}
    ${
      mayDo(visit, 'items:write') &&
      html`<div class="card stack">
        ${findForm(texts, { action: `/console/items/${id}`, place: 'members', find: state.find })}
        ${await addingForm(visit, texts, state)}
      </div>`
    }
  </section>`;
}

function memberColumns(visit: VisitWith<'id'>, texts: Texts): Column<RowOf<typeof listPackageItems>>[] {
  const { t } = texts;
  const takeOut = { label: t('console.packages.takeOut'), question: t('console.packages.takeOutQuestion') };
  return [
    { title: t('console.fields.title'), cell: (item) => html`<a href="/console/items/${item.id}">${item.title}</a>` },
    { title: t('console.fields.type'), cell: ({ item_type }) => named(texts, 'itemTypes', item_type.name) },
    {
      title: t('console.fields.actions'),
      cell: ({ id }) =>
        mayDo(visit, 'items:write') && confirmButton(visit, { ...takeOut, action: `${addressOf(visit)}/${id}/remove` }),
    },
  ];
}

const addressOf = ({ params }: VisitWith<'id'>) => `/console/items/${params.id}/members`;

/** The menu of the found items that can be added. */
async function addingForm(visit: VisitWith<'id'>, texts: Texts, { find, complaint }: PageState): Promise<Html> {
  const { t } = texts;
  const choices = await freeItems(visit, find);
  if (choices.length === 0) return html`<p class="quiet">${t('console.items.notFound')}</p>`;
  const content = html`${complaints(texts, complaint, ['add_asset_ids', 'add_asset_ids.0'])}
  ${select(texts, {
    name: 'item_id',
    label: t('console.packages.putIn'),
    choices: [['', ''], ...choices],
    complaint,
    isRequired: true,
    alsoNamed: ['add_asset_ids', 'add_asset_ids.0'],
  })}
  ${submit(t('console.packages.add'), { kind: 'other' })}`;
  return form(visit, { action: addressOf(visit), content, className: 'filters', name: 'members' });
}

/** The found items that are not packages and not in this package. */
async function freeItems(visit: VisitWith<'id'>, find: string | undefined) {
  const candidates = (await findChoices(visit, find)).filter((item) => item.item_type.name !== 'package');
  const ids = candidates.map((item) => item.id);
  const heldIds = await listHeld(visit.caller, Number(visit.params.id), ids);
  const free = candidates.filter((item) => !heldIds.has(item.id));
  return free.map((item) => [String(item.id), item.title] as const);
}
