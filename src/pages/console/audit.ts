import { z } from 'zod';
import { auditEndpoints } from '../../audit/audit.endpoints';
import { merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page } from '../../kit/pages/page';
import { select, submit } from '../layout/forms';
import { named, type Texts, textsFor } from '../layout/texts';
import { actionsToFind } from './auditActions';
import { actionColumn, actorColumn, type Entry, namesIn, objectName, objectOf, timeColumn } from './auditEntries';
import { inConsole, listQuery, type MerchantVisit, orderQuery, showInConsole } from './frame';
import { type Column, emptyOf, given, keptOrder, orderIn, partIn, sizedPager, sortingOf, table } from './lists';
import { savedFilters } from './savedFilters';

const text = z.string().optional();

/** `object_type` and `object_id`: only the entries about one object. */
const LogQuery = z.object({ ...listQuery, ...orderQuery, action: text, object_type: text, object_id: text });
type LogFilter = z.output<typeof LogQuery>;

export const auditPages = {
  showAudit: page({
    ...inConsole,
    auth: merchant('accounts:read'),
    method: 'get',
    path: '/console/audit',
    summary: 'The audit log',
    query: LogQuery,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const { action, done } = visit.query;
      const filter = { ...given({ action }), ...objectIn(visit.query) };
      const order = orderIn(visit.query);
      const found = await visit.call(auditEndpoints.listAudit, { query: { ...partIn(visit.query), ...filter } });
      const list = table({
        title: t('console.sections.audit'),
        rows: found.collection,
        empty: emptyOf(texts, '/console/audit', filter, t('console.audit.none')),
        sorting: sortingOf(visit, texts, visit.query),
        columns: await columnsOf(visit, texts, found.collection),
      });
      const place = { section: 'audit', title: t('console.sections.audit'), done } as const;
      const saved = await savedFilters(visit, texts, 'audit', { ...filter, ...order });
      return showInConsole(
        visit,
        place,
        html`${filterForm(texts, visit.query)} ${saved} ${onlyAbout(texts, visit.query)} ${list}
        ${sizedPager(visit, texts, found, { list: 'audit', query: { ...filter, ...order } })}`,
      );
    },
  }),
};

async function columnsOf(visit: MerchantVisit, texts: Texts, entries: readonly Entry[]): Promise<Column<Entry>[]> {
  const { t } = texts;
  const names = await namesIn(visit, entries);
  return [
    { ...timeColumn(texts), sort: { by: 'created', first: 'desc' } },
    actionColumn(texts),
    { title: t('console.audit.object'), cell: (entry) => objectOf(visit, texts, names, entry) },
    actorColumn(visit, texts, names),
    { title: t('console.audit.from'), cell: ({ address }) => address ?? '' },
  ];
}

function filterForm(texts: Texts, query: LogFilter): Html {
  const { t } = texts;
  const known = actionsToFind.map((name) => [name, named(texts, 'events', name)] as const);
  const choices = [['', t('console.all')] as const, ...known.sort(([, one], [, other]) => one.localeCompare(other))];
  const kept = Object.entries(objectIn(query)).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<form method="get" action="/console/audit" class="card filters" role="search">
    ${select(texts, { name: 'action', value: query.action, label: t('console.fields.what'), choices, isFilter: true })}
    ${kept} ${keptOrder(query)} ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}

/** The filter by an object. Half of it filters nothing. */
const objectIn = ({ object_type, object_id }: LogFilter): Partial<Record<'object_type' | 'object_id', string>> =>
  object_type && object_id ? { object_type, object_id } : {};

/** What the list is limited to, and the link to the whole log. */
function onlyAbout(texts: Texts, { object_type: type, object_id: id }: LogFilter): Html {
  if (!type || !id) return html``;
  const { t } = texts;
  return html`<p class="row spread">
    <span>${t('console.audit.onlyAbout', { object: objectName(texts, { type, id }) })}</span>
    <a class="button slim" href="/console/audit">${t('console.audit.whole')}</a>
  </p>`;
}
