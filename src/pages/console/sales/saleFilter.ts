import { registeredUserEndpoints } from '../../../accounts/registeredUsers.endpoints';
import { itemEndpoints } from '../../../items/items.endpoints';
import { mayCall } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type RowOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { field, select } from '../../layout/forms';
import { named, type Texts } from '../../layout/texts';
import { type MerchantVisit } from '../frame';
import { termOf } from '../lists';

/** The filters by item and by customer, which the lists of subscriptions and of transactions have in common. */

interface CustomerFilter {
  /** The filter of the endpoint. Empty for all customers. */
  query: { account_id?: string };
  complaint: Complaint | undefined;
  /** The text of the field: the address of the customer who was found, else what was sent. */
  shown: string;
  /** The reason why the list has all customers. */
  notice: Html | undefined;
}

const { listRegisteredUsers } = registeredUserEndpoints;
type Customer = RowOf<typeof listRegisteredUsers>;

/** The most items of the menu, and the most customers among whom one is looked for. The API can filter by every one. */
const choicesMax = 500;

const findsCustomers = ({ caller }: MerchantVisit) => mayCall(listRegisteredUsers.auth, caller);

/** The customer with this address, name or id. A customer that the merchant does not have is a complaint. */
export async function readCustomer(visit: MerchantVisit, texts: Texts, sent = ''): Promise<CustomerFilter> {
  const customer = sent.trim();
  const none = { query: {}, complaint: undefined, shown: sent, notice: undefined };
  if (customer === '') return none;
  if (!findsCustomers(visit)) return { ...none, notice: notFiltered(texts) };
  const query = { search: [termOf(customer)], active: 'all', limit: choicesMax, total_up_to: choicesMax };
  const outcome = await attempt(texts, () => visit.call(listRegisteredUsers, { query }));
  const found = 'done' in outcome ? theOne(outcome.done.collection, customer.toLowerCase()) : undefined;
  if (found) return { ...none, query: { account_id: String(found.id) }, shown: found.email };
  const message = texts.t('console.subscriptions.customerUnknown');
  return { ...none, complaint: { message, fields: { customer: message } } };
}

/** A visitor who may not look for customers reads that the list is longer than requested. */
function notFiltered(texts: Texts): Html {
  const right = named(texts, 'scopes', 'accounts:read');
  return html`<p class="alert warn" role="note">${texts.t('console.subscriptions.notByCustomer', { right })}</p>`;
}

/** The customer with this address, else the only one with this name, else the only one that was found. */
function theOne(found: readonly Customer[], term: string): Customer | undefined {
  const named = found.filter(({ full_name }) => full_name.toLowerCase() === term);
  const only = [named, found].find(({ length }) => length === 1)?.[0];
  return found.find(({ email }) => email === term) ?? only;
}

interface Sent {
  item_id?: string | undefined;
  customer?: string | undefined;
}

/** The fields for which the visitor has the rights. */
export async function saleFields(
  visit: MerchantVisit,
  texts: Texts,
  { item_id, customer }: Sent,
  complaint: Complaint | undefined,
): Promise<(Html | false)[]> {
  const { t } = texts;
  const choices = await itemChoices(visit, texts);
  const about = (name: string, value: string | undefined) => ({ name, value, complaint, isFilter: true });
  return [
    choices !== undefined && select(texts, { ...about('item_id', item_id), label: t('console.fields.item'), choices }),
    findsCustomers(visit) &&
      field(texts, { ...about('customer', customer), type: 'search', label: t('console.fields.customer') }),
  ];
}

async function itemChoices(visit: MerchantVisit, { t }: Texts) {
  if (!mayCall(itemEndpoints.listItems.auth, visit.caller)) return undefined;
  const { collection } = await visit.call(itemEndpoints.listItems, { query: { active: 'all', limit: choicesMax } });
  const titles = collection.map(({ id, title }) => [String(id), title] as const);
  return [['', t('console.all')] as const, ...titles];
}

/** The names of the fields for the summary of the errors. */
export const saleFieldNames = ({ t }: Texts) => ({
  item_id: t('console.fields.item'),
  customer: t('console.fields.customer'),
});
