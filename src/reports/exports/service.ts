import { type z } from 'zod';
import { readUsersAfter } from '../../accounts/registeredUsers/service';
import { isActiveOf } from '../../items/search/service';
import { readItemsAfter } from '../../items/service';
import { type Caller, type Scope } from '../../kit/auth';
import { csvLine, inParts, type CsvValue } from '../../kit/csv';
import { Answer } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { toMajor } from '../../subscriptions/billing/money';
import { readTransactions } from '../../subscriptions/histories/service';
import { showStoreSubscriptions } from '../../subscriptions/inStores/service';
import { readVouchersAfter } from '../../vouchers/service';
import { csvAnswer, readMovements, readTransitions } from '../rows/service';
import { selectAccesses, selectCardSubscriptions, selectStoreSubscriptions, type ListedInStore } from './model';
import { type ExportPath, type ExportQuery } from './schemas';

/** Lists as files, asked by what their pages are asked by: each is read where its page is. */

type Asked = z.output<typeof ExportQuery>;
export type ListName = z.output<typeof ExportPath>['list'];
type Parts = AsyncIterable<readonly object[]>;

interface List {
  /** What a follower needs to see it, besides the reports. */
  scope: Scope;
  filters: readonly (keyof Asked)[];
  /** By what `search[]=key:value` asks, where it does. */
  searchKeys?: readonly string[];
  /** Names of a row's fields; `usage_limit=usageLimit` is a column under another name. */
  columns: string;
  read: (caller: Caller, asked: Asked) => Parts;
}

const range = ['from', 'to', 'currency', 'item_id', 'account_id'] as const;
const idOf = ({ id }: { id: number }) => id;

const lists: Record<ListName, List> = {
  customers: {
    scope: 'accounts:read',
    filters: ['search', 'active'],
    searchKeys: ['title', 'id', 'merchant_id', 'merchant_uuid'],
    columns: 'id uuid email full_name=fullName is_active=isActive created_at=createdAt',
    read: (caller, { search, active }) =>
      inParts(
        (limit, after: number | undefined) =>
          readUsersAfter(caller, { search, isActive: isActiveOf(active) }, limit, after),
        idOf,
      ),
  },
  subscriptions: {
    scope: 'payments:read',
    filters: ['status', 'account_id', 'item_id'],
    columns: `subscription_id status account_id email item_id item_title access_fee_id currency price period_quantity
      period voucher_code country_iso created_at trial_end current_period_end canceled_at ended_at`,
    read: readSubscriptions,
  },
  movements: {
    scope: 'reports:read',
    filters: [...range, 'kind', 'country_iso', 'cohort', 'subscription_id'],
    columns: `id kind reason subscription_id account_id item_id access_fee_id currency amount mrr cohort
      happened_at=created_at`,
    read: readMovements,
  },
  transitions: {
    scope: 'reports:read',
    filters: [...range, 'what', 'state'],
    columns: 'id subscription_id account_id email item_id item_title from to reason created_at',
    read: readTransitions,
  },
  vouchers: {
    scope: 'vouchers:read',
    filters: ['search'],
    searchKeys: ['id', 'name', 'code', 'discount_period'],
    columns: `id name code discount discount_period=discountPeriod discount_duration=discountDuration
      usage_limit=usageLimit usage_counter=usageCounter starts_at=startsAt ends_at=endsAt created_at=createdAt`,
    read: (caller, { search }) =>
      inParts((limit, after: number | undefined) => readVouchersAfter(caller, search, limit, after), idOf),
  },
  items: {
    scope: 'items:read',
    filters: ['search', 'item_type', 'active'],
    searchKeys: ['title', 'id', 'external_id', 'external_asset_id', 'merchant_id', 'merchant_uuid'],
    columns: `id title item_type=itemType is_active=isActive external_id=externalId created_at=createdAt
      updated_at=updatedAt`,
    read: (caller, asked) =>
      inParts((limit, after: number | undefined) => readItemsAfter(caller, asked, limit, after), idOf),
  },
  accesses: {
    scope: 'items:read',
    filters: [],
    columns: 'id account_id email item_id item_title source starts_at expires_at revoked_at',
    read: ({ merchantId }) =>
      inParts((limit, after: number | undefined) => selectAccesses(merchantId, limit, after), idOf),
  },
  'payment-history': {
    scope: 'payments:read',
    filters: ['type', 'startDate', 'endDate', 'exclude'],
    columns: `trx_token transaction_token action_type consumer_id consumer_email item_id item_title
      access_fee_description charged_amount currency_iso payment_method_name payment_tool_info voucher_code
      voucher_discount country_iso created_at=timestamp`,
    read: readTransactions,
  },
};

/** A list as a file: sent as it is read, however long it is. */
export function exportList(caller: Caller, name: ListName, asked: Asked): Promise<Answer<string>> {
  const list = lists[name];
  if (!caller.scopes.includes(list.scope)) throw new AppError('forbidden');
  refuseForeignFilters(list, asked);
  return Promise.resolve(new Answer('', { ...csvAnswer(name), stream: streamList(list, list.read(caller, asked)) }));
}

/** A filter that is passed over would make a file of what nobody asked for. */
function refuseForeignFilters({ filters, searchKeys = [] }: List, asked: Asked): void {
  const names = Object.keys(asked) as (keyof Asked)[];
  const foreign = names.filter((name) => asked[name] !== undefined && !filters.includes(name));
  const errors = Object.fromEntries(foreign.map((name) => [name, `The ${name} is no filter of this list.`]));
  const hasForeignKey = asked.search?.some((term) => !searchKeys.includes(term.slice(0, term.indexOf(':'))));
  if (hasForeignKey) errors['search'] ??= `The search must be key:value, the key one of ${searchKeys.join(', ')}.`;
  if (Object.keys(errors).length > 0) throw new AppError('invalid_input', { errors });
}

async function* streamList({ columns: text }: List, parts: Parts): AsyncGenerator<string> {
  const columns = text.split(/\s+/).map((column) => column.split('='));
  yield csvLine(columns.map(([title = '']) => title));
  for await (const rows of parts)
    yield rows.map((row) => csvLine(columns.map(([title = '', field = title]) => valueOf(row, title, field)))).join('');
}

/** Times are dates, or Unix seconds in a column whose name tells so; 0 is none. */
function valueOf(row: object, title: string, field: string): CsvValue {
  const value = (row as Record<string, CsvValue | Date | undefined>)[field] ?? null;
  if (value instanceof Date) return value.toISOString();
  const isTime = title.endsWith('_at') || title.endsWith('_end');
  if (!isTime || typeof value !== 'number') return value;
  return value === 0 ? null : new Date(value * 1000).toISOString();
}

/** Those paid by card, then those of app stores. */
async function* readSubscriptions({ merchantId }: Caller, { account_id: accountId, item_id: itemId, status }: Asked) {
  const filter = { merchantId, accountId, itemId, status };
  const byCard = (limit: number, after: number | undefined) => selectCardSubscriptions(filter, limit, after);
  for await (const rows of inParts(byCard, idOf))
    yield rows.map((row) => ({ ...row, price: toMajor(row.price, row.currency) }));
  const inStores = (limit: number, after: number | undefined) => selectStoreSubscriptions(filter, limit, after);
  for await (const rows of inParts(inStores, idOf)) yield await describeInStores(rows);
}

async function describeInStores(rows: readonly ListedInStore[]): Promise<object[]> {
  const shown = await showStoreSubscriptions(rows.map(({ token }) => token));
  return rows.flatMap(({ token, email, countryIso }) => {
    const row = shown.get(token);
    if (!row) return [];
    const { subscription_price: price, access_type: of } = row;
    return [{ ...row, email, country_iso: countryIso, price, period_quantity: of.quantity, period: of.period }];
  });
}
