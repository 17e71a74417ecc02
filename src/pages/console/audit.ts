import { z } from 'zod';
import { namesOf, type NamedAccount } from '../../accounts/registeredUsers';
import { auditEndpoints } from '../../audit/audit.endpoints';
import { type Caller, merchant } from '../../kit/auth';
import { html, type Written } from '../../kit/html';
import { page } from '../../kit/pages/page';
import { type RowOf } from '../layout/answers';
import { select, submit } from '../layout/forms';
import { type Texts, textsFor } from '../layout/texts';
import { inConsole, listQuery, named, orderQuery, showInConsole } from './frame';
import { breakable, given, keptOrder, orderIn, partIn, sizedPager, sortingOf, table, when } from './lists';
import { savedFilters } from './savedFilters';

/** The actions in the filter. Without a filter, the list shows all actions. */
export const actionsToFind = [
  ...[
    'access.extend',
    'access.grant',
    'access.revoke',
    'account.create',
    'account.deactivate',
    'account.erase',
    'account.update',
  ],
  ...['app.create', 'app.delete', 'app.replace_secret', 'app.update', 'brand.create', 'brand.delete', 'brand.update'],
  ...['company_identity.link', 'company_provider.delete', 'company_provider.set', 'company_sign_in.refuse'],
  ...['demo_data.create', 'demo_data.remove'],
  ...['feature.disable', 'feature.enable', 'follower.create', 'follower.remove', 'follower.restore', 'follower.update'],
  ...[
    'impersonation.start',
    'impersonation.write',
    'mail_text.delete',
    'mail_text.update',
    'media_settings.update',
    'payment.refund',
    'platform_keys.set',
    'refresh_token.reuse',
  ],
  ...[
    'report_schedule.confirm',
    'report_schedule.create',
    'report_schedule.delete',
    'report_schedule.stop',
    'report_schedule.update',
    'restriction.apply_country_set',
  ],
  ...['restriction.create_country_set', 'restriction.create_geo_set', 'restriction.delete_age'],
  ...['restriction.delete_country_set', 'restriction.delete_domains', 'restriction.delete_geo_set'],
  ...['restriction.remove_country', 'restriction.remove_country_set', 'restriction.replace_domains'],
  ...['restriction.save_domains', 'restriction.set_age', 'restriction.update_country_set'],
  ...[
    'restriction.update_geo_set',
    'restriction.update_settings',
    'session.end',
    'settings.update',
    'store_credentials.delete',
  ],
  ...['store_credentials.set', 'store_settings.update', 'webhook.create', 'webhook.delete', 'webhook.disable'],
  ...['webhook.replace_secret', 'webhook.resend', 'webhook.retry', 'webhook.test', 'webhook.update'],
];

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
        ${select(texts, { name: 'action', value: action, label: t('console.fields.what'), choices, isRequired: true })}
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
            cell: ({ actor_account_id: id, acted_by }) =>
              html`${actorOf(texts, names, visit.caller, id)}
              ${acted_by !== null && html`<span class="quiet small">${t('console.audit.by')}</span>`}`,
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

function actorOf({ t }: Texts, names: Names, caller: Caller, id: number): Written {
  if (id === caller.accountId) return t('console.audit.you');
  return accountLink(names, id);
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
