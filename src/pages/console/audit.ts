import { z } from 'zod';
import { namesOf, type NamedAccount } from '../../accounts/registeredUsers';
import { auditEndpoints } from '../../audit/audit.endpoints';
import { type Caller, merchant } from '../../kit/auth';
import { html, type Written } from '../../kit/html';
import { page } from '../../kit/pages/page';
import { type RowOf } from '../layout/answers';
import { select, submit } from '../layout/forms';
import { named, type Texts, textsFor } from '../layout/texts';
import { actionsToFind } from './auditActions';
import { inConsole, listQuery, orderQuery, showInConsole } from './frame';
import { breakable, given, keptOrder, orderIn, partIn, sizedPager, sortingOf, table, when } from './lists';
import { savedFilters } from './savedFilters';

export const auditPages = {
  showAudit: page({
    ...inConsole,
    auth: merchant('accounts:read'),
    method: 'get',
    path: '/console/audit',
    summary: 'The audit log',
    query: z.object({ ...listQuery, ...orderQuery, action: z.string().optional() }),
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const { action, done } = visit.query;
      const order = orderIn(visit.query);
      const found = await visit.call(auditEndpoints.listAudit, {
        query: { ...partIn(visit.query), ...given({ action }) },
      });
      const names = await namesOf(visit.caller, found.collection.flatMap(accountsIn));
      const known = actionsToFind.map((name) => [name, named(texts, 'events', name)] as const);
      const choices = [
        ['', t('console.all')] as const,
        ...known.sort(([, one], [, other]) => one.localeCompare(other)),
      ];
      const filter = html`<form method="get" action="/console/audit" class="card filters" role="search">
        ${select(texts, { name: 'action', value: action, label: t('console.fields.what'), choices, isFilter: true })}
        ${keptOrder(visit.query)} ${submit(t('common.search'), { kind: 'other' })}
      </form>`;
      const list = table({
        title: t('console.sections.audit'),
        rows: found.collection,
        empty: t('console.audit.none'),
        sorting: sortingOf(visit, texts, visit.query),
        columns: [
          {
            title: t('console.fields.when'),
            cell: ({ created_at }) => when(texts, created_at),
            sort: { by: 'created', first: 'desc' },
          },
          { title: t('console.fields.what'), cell: (row) => named(texts, 'events', row.action) },
          { title: t('console.audit.object'), cell: (row) => objectOf(texts, names, row) },
          {
            title: t('console.audit.actor'),
            cell: (row) => actorOf(texts, names, visit.caller, row),
          },
          { title: t('console.audit.from'), cell: ({ address }) => address ?? '' },
        ],
      });
      const place = { section: 'audit', title: t('console.sections.audit'), done } as const;
      const saved = await savedFilters(visit, texts, 'audit', { action, ...order });
      return showInConsole(
        visit,
        place,
        html`${filter} ${saved} ${list}
        ${sizedPager(visit, texts, found, { list: 'audit', query: { action, ...order } })}`,
      );
    },
  }),
};

type Names = ReadonlyMap<number, NamedAccount>;

type Entry = RowOf<typeof auditEndpoints.listAudit>;

const accountsIn = ({ actor_account_id, object_type, object_id }: Entry): number[] =>
  object_type === 'account' ? [actor_account_id, Number(object_id)] : [actor_account_id];

/** Who used a token, and who acted as this account. */
function actorOf({ t }: Texts, names: Names, caller: Caller, row: Entry): Written {
  const { actor_account_id: id, actor_name, acted_by, acted_by_name } = row;
  const nameOf = () => (names.get(id)?.isCustomer ? accountLink(names, id) : breakable(actor_name ?? String(id)));
  const account = id === caller.accountId ? t('console.audit.you') : nameOf();
  if (acted_by === null) return account;
  const isOwn = acted_by === (caller.actorUuid ?? caller.accountUuid);
  const actor = isOwn ? t('console.audit.you') : (acted_by_name ?? t('console.audit.unknown'));
  return html`${breakable(actor)} <span class="quiet small">${t('console.audit.as')}</span> ${account}`;
}

function accountLink(names: Names, id: number): Written {
  const account = names.get(id);
  if (!account) return id;
  const name = breakable(account.name);
  return account.isCustomer ? html`<a href="/console/customers/${id}">${name}</a>` : name;
}

const addresses: Readonly<Record<string, string>> = {
  item: '/console/items',
  webhook: '/console/settings/webhooks',
  app: '/console/settings/apps',
  country_set: '/console/restrictions/countries',
  geo_set: '/console/restrictions/places',
  report_schedule: '/console/reports/schedules',
};

/** The object of an action, with its link; empty for the merchant's account. */
function objectOf(texts: Texts, names: Names, { object_type: type, object_id: id }: Entry): Written {
  if (type === 'merchant') return '';
  if (type === 'account' && names.has(Number(id))) return accountLink(names, Number(id));
  const text = `${named(texts, 'objects', type)} ${id}`;
  const address = addresses[type];
  return address === undefined ? text : html`<a href="${address}/${id}">${text}</a>`;
}
