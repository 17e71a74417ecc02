import { z } from 'zod';
import { registeredUserEndpoints } from '../../../accounts/registeredUsers.endpoints';
import { mayCall } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { itemEndpoints } from '../../../items/items.endpoints';
import { type RowOf } from '../../layout/answers';
import { type Complaint } from '../../layout/explain';
import { complaints, field, select, submit } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { listQuery, type MerchantVisit, orderQuery } from '../frame';
import { given, keptOrder, termOf } from '../lists';

/** The filter of the list of subscriptions: the state, the item, and the customer. */

export const living = ['active', 'trialing', 'past_due', 'on_hold', 'paused'] as const;
const ended = ['canceled', 'expired', 'revoked', 'incomplete', 'incomplete_expired'] as const;

export const FilteredQuery = z.object({
  ...listQuery,
  ...orderQuery,
  status: z.string().optional(),
  item_id: z.string().optional(),
  customer: z.string().optional(),
});
type Sent = z.output<typeof FilteredQuery>;

interface Filter {
  /** The filters of the endpoint. */
  query: Record<string, string>;
  complaint: Complaint | undefined;
}

type Customer = RowOf<typeof registeredUserEndpoints.listRegisteredUsers>;

/** The most items of the menu, and the most customers among whom one is looked for. The API can filter by every one. */
const choicesMax = 500;

/** The filters of the endpoint. A customer that the merchant does not have is a complaint. */
export async function readFilter(visit: MerchantVisit, { t }: Texts, sent: Sent): Promise<Filter> {
  const { status, item_id, customer = '' } = sent;
  const query = given({ status, item_id });
  if (customer === '' || !mayCall(registeredUserEndpoints.listRegisteredUsers.auth, visit.caller))
    return { query, complaint: undefined };
  const search = [termOf(customer)];
  const { collection } = await visit.call(registeredUserEndpoints.listRegisteredUsers, {
    query: { search, active: 'all', limit: choicesMax },
  });
  const found = theOne(collection, customer.trim().toLowerCase());
  if (found) return { query: { ...query, account_id: String(found.id) }, complaint: undefined };
  const message = t('console.subscriptions.customerUnknown');
  return { query, complaint: { message, fields: { customer: message } } };
}

/** The customer with this address, else the only one with this name, else the only one that was found. */
function theOne(found: readonly Customer[], term: string): Customer | undefined {
  const named = found.filter(({ full_name }) => full_name.toLowerCase() === term);
  const only = [named, found].find(({ length }) => length === 1)?.[0];
  return found.find(({ email }) => email === term) ?? only;
}

export async function filterForm(
  visit: MerchantVisit,
  texts: Texts,
  { status, item_id, customer, ...order }: Sent,
  complaint: Complaint | undefined,
): Promise<Html> {
  const { t } = texts;
  const all = ['', t('console.all')] as const;
  const states = [...living, ...ended].map((state) => [state, t(`console.states.${state}`)] as const);
  const items = mayCall(itemEndpoints.listItems.auth, visit.caller)
    ? (await visit.call(itemEndpoints.listItems, { query: { active: 'all', limit: choicesMax } })).collection
    : undefined;
  const titles = items?.map(({ id, title }) => [String(id), title] as const);
  const findsCustomers = mayCall(registeredUserEndpoints.listRegisteredUsers.auth, visit.caller);
  return html`<form method="get" action="/console/subscriptions" class="card filters">
    ${complaints(texts, complaint, { customer: t('console.fields.customer') })}
    ${select(texts, { name: 'status', value: status, label: t('console.fields.state'), choices: [all, ...states], isRequired: true })}
    ${titles && select(texts, { name: 'item_id', value: item_id, label: t('console.fields.item'), choices: [all, ...titles], isRequired: true })}
    ${findsCustomers && field(texts, { name: 'customer', type: 'search', value: customer, label: t('console.fields.customer'), complaint, isRequired: true })}
    ${keptOrder(order)} ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}
