import { packageEndpoints } from '../../../items/packages/endpoints';
import { listHeld } from '../../../items/packages/service';
import { type Caller } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { type Complaint } from '../../layout/explain';
import { complaints, form, select, submit } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { asking, named } from '../frame';
import { given, pager, table } from '../lists';
import { findChoices, findForm } from './choices';

/** What a package holds, and what may be put into it. */
export async function membersOf(
  visit: Visit & { caller: Caller },
  texts: Texts,
  id: string,
  {
    page,
    find,
    complaint,
  }: { page?: string | undefined; find?: string | undefined; complaint?: Complaint | undefined },
): Promise<Html> {
  const { t } = texts;
  const action = `/console/items/${id}/members`;
  const held = await visit.call(packageEndpoints.listPackageItems, { params: { id }, query: given({ page }) });
  const list = table({
    title: t('console.packages.items'),
    rows: held.collection,
    empty: t('console.packages.noItems'),
    columns: [
      { title: t('console.fields.title'), cell: (item) => html`<a href="/console/items/${item.id}">${item.title}</a>` },
      { title: t('console.fields.type'), cell: ({ item_type }) => named(texts, 'itemTypes', item_type.name) },
      {
        title: t('console.fields.actions'),
        cell: (item) =>
          asking(visit, {
            action: `${action}/${item.id}/remove`,
            label: t('console.packages.takeOut'),
            question: t('console.packages.takeOutQuestion'),
          }),
      },
    ],
  });
  const choices = await freeItems(visit, id, find);
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
  const menu =
    choices.length === 0
      ? html`<p class="quiet">${t('console.items.notFound')}</p>`
      : form(visit, { action, content, className: 'filters', name: 'members' });
  return html`<section class="stack" id="members">
    <h2>${t('console.packages.items')}</h2>
    ${list} ${pager(visit, texts, held, { list: 'items', query: { package_id: id, active: 'active' } })}
    <div class="card stack">${findForm(texts, { action: `/console/items/${id}`, place: 'members', find })} ${menu}</div>
  </section>`;
}

/** What was found and is neither a package nor in this one. */
async function freeItems(visit: Visit & { caller: Caller }, id: string, find: string | undefined) {
  const candidates = (await findChoices(visit, find)).filter((item) => item.item_type.name !== 'package');
  const ids = candidates.map((item) => item.id);
  const heldIds = await listHeld(visit.caller, Number(id), ids);
  const free = candidates.filter((item) => !heldIds.has(item.id));
  return free.map((item) => [String(item.id), item.title] as const);
}
