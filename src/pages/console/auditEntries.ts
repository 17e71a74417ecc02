import { namesOf, type NamedAccount } from '../../accounts/registeredUsers';
import { type auditEndpoints } from '../../audit/audit.endpoints';
import { type Caller, type Scope } from '../../kit/auth';
import { html, type Written } from '../../kit/html';
import { type RowOf } from '../layout/answers';
import { named, type Texts } from '../layout/texts';
import { type MerchantVisit } from './frame';
import { breakable, type Column, mayDo, when } from './lists';

/** The columns of entries of the audit log. */

type Names = ReadonlyMap<number, NamedAccount>;

export type Entry = RowOf<typeof auditEndpoints.listAudit>;

/** The names of the accounts in the entries. */
export const namesIn = ({ caller }: MerchantVisit, entries: readonly Entry[]): Promise<Names> =>
  namesOf(caller, entries.flatMap(accountsIn));

const accountsIn = ({ actor_account_id, object_type, object_id }: Entry): number[] =>
  object_type === 'account' ? [actor_account_id, Number(object_id)] : [actor_account_id];

export const timeColumn = (texts: Texts): Column<Entry> => ({
  title: texts.t('console.fields.when'),
  cell: ({ created_at }) => when(texts, created_at),
});

export const actionColumn = (texts: Texts): Column<Entry> => ({
  title: texts.t('console.fields.what'),
  cell: ({ action }) => named(texts, 'events', action),
});

export const actorColumn = ({ caller }: MerchantVisit, texts: Texts, names: Names): Column<Entry> => ({
  title: texts.t('console.audit.actor'),
  cell: (entry) => actorOf(texts, names, caller, entry),
});

/** Who used a token, and who acted as this account. */
function actorOf({ t }: Texts, names: Names, caller: Caller, entry: Entry): Written {
  const { actor_account_id: id, actor_name, acted_by, acted_by_name } = entry;
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

/** The pages of the objects, with the right to see them. */
const places: Readonly<Record<string, readonly [address: string, scope: Scope]>> = {
  item: ['/console/items', 'items:read'],
  voucher: ['/console/vouchers', 'vouchers:read'],
  webhook: ['/console/settings/webhooks', 'settings:write'],
  app: ['/console/settings/apps', 'apps:write'],
  country_set: ['/console/restrictions/countries', 'restrictions:write'],
  geo_set: ['/console/restrictions/places', 'restrictions:write'],
  report_schedule: ['/console/reports/schedules', 'reports:read'],
};

/** The object of an action, with its link; empty for the merchant's account. */
export function objectOf(
  visit: MerchantVisit,
  texts: Texts,
  names: Names,
  { object_type: type, object_id: id }: Entry,
): Written {
  if (type === 'merchant') return '';
  if (type === 'account' && names.has(Number(id))) return accountLink(names, Number(id));
  const text = objectName(texts, { type, id });
  const [address, scope] = places[type] ?? [];
  return scope !== undefined && mayDo(visit, scope) ? html`<a href="${address}/${id}">${text}</a>` : text;
}

export const objectName = (texts: Texts, { type, id }: { type: string; id: string }): string =>
  `${named(texts, 'objects', type)} ${id}`;
