import { activationEndpoints } from '../../../accounts/signIn/activation.endpoints';
import { customerEndpoints } from '../../../customers/customers.endpoints';
import { registeredUserEndpoints } from '../../../accounts/registeredUsers.endpoints';
import { namesOf } from '../../../accounts/registeredUsers';
import { registerFieldEndpoints } from '../../../accounts/registerFields.endpoints';
import { timelineEndpoints } from '../../../customers/timelines.endpoints';
import { grantEndpoints } from '../../../customers/grants.endpoints';
import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { receiptEndpoints } from '../../../subscriptions/receipts.endpoints';
import { subscriptionEndpoints } from '../../../subscriptions/subscriptions.endpoints';
import { copyable } from '../../layout/copyable';
import { complaints, field, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, formPage, type PageState, type VisitWith } from '../crudPages';
import { filled } from '../fields';
import { confirmButton, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { facts, fileOf, given, mayDo, mayUse, pager, when } from '../lists';
import { accessReasons, activationReason, resendField } from './accessReasons';
import { accessSection, listAccess } from './accesses';
import { balanceSection } from './balances';
import { address, type Customer, customersPage } from './customerList';
import { extendById } from './extensions';
import { subscriptionTable } from './subscriptions';
import { stateFilter, unpaidLink } from './subscriptionFilter';
import { taxNumberText } from './taxNumbers';
import { timelineOf } from './timeline';

const pages = crudPages({
  address,
  auth: merchant('accounts:read'),
  writing: merchant('accounts:write'),
  list: customersPage,
  blank: newCustomerPage,
  one: customerPage,
});
const { deactivateAccount, listRegisteredUsers } = registeredUserEndpoints;
const changed = { next: `${address}/{id}?done=changed` };
const sent = { next: `${address}/{id}?done=sent` };

export const customerPages = {
  showCustomers: pages.list('The customers'),
  showNewCustomer: pages.new('A new customer'),
  createCustomerInConsole: pages.create(
    'Creates a customer account',
    ({ call, form: body }) => call(customerEndpoints.createCustomer, { body }),
    { next: ({ account }) => `${address}/${account.id}?done=created` },
  ),
  showCustomer: pages.show('One customer with the history'),
  deactivateCustomer: pages.act('deactivate')(
    'Deactivates a customer',
    ({ call, params }) => call(deactivateAccount, { body: { customerID: params.id } }),
    changed,
  ),
  grantInConsole: formPage({
    auth: merchant('items:write'),
    path: `${address}/{id}/grant`,
    summary: 'Grants a customer access',
    work: ({ callOnce, params, form }) =>
      callOnce(grantEndpoints.createGrant, { body: { ...form, consumer_id: params.id } }),
    again: customerPage,
    ...changed,
  }),
  // The required right depends on what gives the access. The endpoint checks it.
  extendInConsole: formPage({
    auth: merchant('accounts:read'),
    path: `${address}/{id}/extend`,
    summary: 'Extends access of a customer, or the subscription that gives it',
    work: (visit) => extendById(visit, visit.form['access'] ?? '', visit.form['days']),
    again: customerPage,
    next: (done, { params }) => `${address}/${params.id}?done=${done}`,
  }),
  resendReceiptInConsole: formPage({
    auth: merchant('payments:write'),
    path: `${address}/{id}/receipts/{trx_token}/resend`,
    summary: 'Mails a receipt to a customer again',
    work: ({ callOnce, params: { trx_token } }) => callOnce(receiptEndpoints.resendReceipt, { params: { trx_token } }),
    again: customerPage,
    ...sent,
  }),
  resendActivationInConsole: formPage({
    auth: merchant('accounts:write'),
    path: `${address}/{id}/activation/resend`,
    summary: 'Mails the activation link to a customer again',
    work: ({ callOnce, params }) => callOnce(activationEndpoints.resendActivation, { params }),
    again: customerPage,
    ...sent,
  }),
  revokeInConsole: formPage({
    auth: merchant('items:write'),
    path: `${address}/{id}/accesses/{access_id}/revoke`,
    summary: 'Revokes the access of a customer',
    work: ({ call, params }) => call(grantEndpoints.revokeAccess, { params: { id: params.access_id } }),
    ...changed,
  }),
};

function newCustomerPage(visit: Visit, { values = {}, complaint }: PageState): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const known = filled(values, complaint);
  const content = html`${complaints(texts, complaint, ['email', 'full_name'])}
    ${field(texts, { ...known('email'), type: 'email', label: t('common.email'), isRequired: true })}
    ${field(texts, { ...known('full_name'), label: t('common.fullName') })}
    <p class="hint">${t('console.customers.createHint')}</p>
    ${submit(t('console.customers.create'))}`;
  const place = {
    section: 'customers',
    title: t('console.customers.create'),
    back: { address, text: t('console.sections.customers') },
  } as const;
  const whole = html`<div class="card">${form(visit, { action: `${address}/new`, content })}</div>`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

/** The customer's answers to the registration fields, by label. Other metadata has its own name. */
async function answersOf(visit: MerchantVisit, metadata: Readonly<Record<string, string>>) {
  const params = { merchant_uuid: visit.caller.merchantUuid };
  const { collection } = await visit.call(registerFieldEndpoints.listRegisterFields, { params });
  return Object.entries(metadata).map(([name, value]) => {
    const registerField = collection.find((field) => field.name === name);
    return [registerField?.label ?? name, registerField?.options[value] ?? value] as const;
  });
}

async function customerPage(visit: VisitWith<'id'>, state: PageState): Promise<PageResponse> {
  const { complaint, page, done } = state;
  const texts = textsFor(visit);
  const { t } = texts;
  const { id } = visit.params;
  const customer = await findCustomer(visit, id);
  const known = (await namesOf(visit.caller, [customer.id])).get(customer.id);
  const isActive = known?.isActive !== false;
  const timeline = await visit.call(timelineEndpoints.getTimeline, { params: { id }, query: given({ page }) });
  const place = {
    section: 'customers',
    title: customer.email,
    back: { address, text: t('console.sections.customers') },
    actions:
      isActive &&
      mayUse(visit, deactivateAccount) &&
      confirmButton(visit, {
        action: `${address}/${id}/deactivate`,
        label: t('console.customers.deactivate'),
        question: t('console.customers.deactivateQuestion'),
      }),
    done,
  } as const;
  const whole = html`${!isActive && html`<p class="alert warn">${t('console.customers.inactive')}</p>`}
    ${state.values && resendField in state.values && complaints(texts, complaint, [])}
    ${await aboutCustomer(visit, texts, customer)}
    ${await purchasesOf(visit, texts, { state, isActive, isActivated: known?.isActivated !== false })}
    <section class="stack">
      <h2>${t('console.customers.timeline')}</h2>
      ${timelineOf(texts, timeline.collection)}
      ${pager(visit, texts, timeline, { list: 'timeline', query: { account_id: id } })}
    </section>`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

async function findCustomer(visit: Visit, id: string) {
  const query = { search: [`id:${id}`], active: 'all' };
  const { collection } = await visit.call(listRegisteredUsers, { query });
  const customer = collection.find((row) => String(row.id) === id);
  if (!customer) throw new AppError('account_not_found');
  return customer;
}

async function aboutCustomer(visit: MerchantVisit, texts: Texts, customer: Customer): Promise<Html> {
  const { t } = texts;
  const about = facts([
    [t('common.fullName'), customer.full_name],
    [t('console.fields.id'), customer.id],
    ['UUID', copyable(texts, { value: customer.uuid, name: 'UUID' })],
    [t('console.fields.createdAt'), when(texts, customer.created_at)],
    [t('console.fields.referrer'), customer.referrer],
    [t('billing.taxNumber'), await taxNumberText(visit.caller, texts, customer.id)],
    ...(await answersOf(visit, customer.metadata)),
  ]);
  const sessions = html`<p class="small">
    <a href="${address}/${customer.id}/sessions">${t('sessions.title')}</a>
  </p>`;
  return html`<section class="card stack">${about} ${sessions}</section>`;
}

interface Purchases {
  state: PageState;
  isActive: boolean;
  isActivated: boolean;
}

/** Why the customer has access or none, then the subscriptions, balances and accesses. */
async function purchasesOf(visit: VisitWith<'id'>, texts: Texts, { state, ...standing }: Purchases): Promise<Html> {
  const { t } = texts;
  const { id } = visit.params;
  if (!mayDo(visit, 'payments:read')) return activationReason(visit, texts, standing);
  const read = (filter: object) =>
    visit.call(subscriptionEndpoints.listSubscriptions, { query: { account_id: id, limit: 50, ...filter } });
  const { collection: subscriptions } = await read(stateFilter());
  const unpaid = await read({ status: 'incomplete_expired', limit: 1 });
  const purchases = await listAccess(visit);
  return html`${await accessReasons(visit, texts, standing, { purchases, subscriptions })}
    <section class="stack">
      <h2>${t('console.sections.subscriptions')}</h2>
      ${subscriptionTable(texts, subscriptions)}
      ${fileOf(visit, texts, subscriptions, { list: 'subscriptions', query: { account_id: id, ...stateFilter() } })}
      ${unpaid.total > 0 && unpaidLink(texts, id, unpaid.total)}
    </section>
    ${await balanceSection(visit, texts)} ${await accessSection(visit, texts, purchases, state)}`;
}
