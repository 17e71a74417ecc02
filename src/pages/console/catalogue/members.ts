import { itemEndpoints } from '../../../items/endpoints';
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

/** More are put in by the interface. */
const choicesMax = 500;

/** What a package holds, and what may be put into it. */
export async function membersOf(
  visit: Visit & { caller: Caller },
  texts: Texts,
  id: string,
  { page, complaint }: { page?: string | undefined; complaint?: Complaint | undefined },
): Promise<Html> {
  const { t } = texts;
  const action = `/console/items/${id}/members`;
  const held = await visit.call(packageEndpoints.listPackageItems, { params: { id }, query: given({ page }) });
  const all = await visit.call(itemEndpoints.listItems, { query: { active: 'active', limit: choicesMax } });
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
  const candidates = all.collection.filter((item) => item.item_type.name !== 'package');
  const heldIds = await listHeld(
    visit.caller,
    Number(id),
    candidates.map((item) => item.id),
  );
  const free = candidates.filter((item) => !heldIds.has(item.id));
  const choices = [['', ''] as const, ...free.map((item) => [String(item.id), item.title] as const)];
  const content = html`${select(texts, {
    name: 'item_id',
    label: t('console.packages.putIn'),
    choices,
    complaint,
    isRequired: true,
    alsoNamed: ['add_asset_ids', 'add_asset_ids.0'],
  })}
  ${submit(t('console.packages.add'), { kind: 'other' })}`;
  return html`<section class="stack">
    <h2>${t('console.packages.items')}</h2>
    ${list} ${pager(visit, texts, held)}
    ${free.length === 0 ? '' : html`<div class="card">${complaints(texts, complaint, ['add_asset_ids', 'add_asset_ids.0'])}${form(visit, { action, content, className: 'filters', name: 'members' })}</div>`}
  </section>`;
}
