import { z } from 'zod';
import { customerEndpoints } from '../../../accounts/customers/endpoints';
import { registeredUserEndpoints } from '../../../accounts/registeredUsers/endpoints';
import { namesOf } from '../../../accounts/registeredUsers/service';
import { registerFieldEndpoints } from '../../../accounts/registerFields/endpoints';
import { timelineEndpoints } from '../../../accounts/timelines/endpoints';
import { grantEndpoints } from '../../../items/access/grants/endpoints';
import { purchaseEndpoints } from '../../../items/access/purchases/endpoints';
import { itemEndpoints } from '../../../items/endpoints';
import { type Caller, mayCall, merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { subscriptionEndpoints } from '../../../subscriptions/endpoints';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm } from '../fields';
import { carryOut, asking, IdPath, inConsole, ListQuery, listQuery, showInConsole } from '../frame';
import { badge, breakable, day, facts, fileOf, given, pager, searchForm, table, termOf, when } from '../lists';
import { customerTabs } from './addresses';
import { subscriptionTable } from './subscriptions';
import { timelineOf } from './timeline';

const reading = { ...inConsole, auth: merchant('accounts:read'), method: 'get' } as const;
const writing = { ...inConsole, auth: merchant('accounts:write'), method: 'post' } as const;

export const customerPages = {
  showCustomers: page({
    ...reading,
    path: '/console/customers',
    summary: 'The customers',
    query: ListQuery,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const { search = '', page: at, done } = visit.query;
      const query = { ...given({ page: at }), active: 'all', ...(search !== '' && { search: [termOf(search)] }) };
      const found = await visit.call(registeredUserEndpoints.listRegisteredUsers, { query });
      const known = await namesOf(
        visit.caller,
        found.collection.map(({ id }) => id),
      );
      const actions = html`<a class="button main" href="/console/customers/new">${t('console.customers.create')}</a>`;
      const place = { section: 'customers', title: t('console.sections.customers'), actions, done } as const;
      const list = table({
        title: place.title,
        rows: found.collection,
        empty: t('console.customers.none'),
        columns: [
          {
            title: t('common.email'),
            cell: ({ id, email }) => html`<a href="/console/customers/${id}">${breakable(email)}</a>`,
          },
          { title: t('common.fullName'), cell: ({ full_name }) => full_name },
          { title: t('console.fields.id'), cell: ({ id }) => id },
          {
            title: t('console.fields.state'),
            cell: ({ id }) => badge(texts, known.get(id)?.isActive === false ? 'inactive' : 'active'),
          },
          { title: t('console.fields.createdAt'), cell: ({ created_at }) => day(texts, created_at) },
        ],
      });
      const form = searchForm(texts, '/console/customers', search, t('console.customers.searchLabel'));
      const content = html`${customerTabs(texts, '/console/customers')} ${form} ${list}
      ${pager(visit, texts, found, { list: 'customers', query })}`;
      return showInConsole(visit, place, content);
    },
  }),
  showNewCustomer: page({
    ...reading,
    auth: merchant('accounts:write'),
    path: '/console/customers/new',
    summary: 'A new customer',
    handler: (visit) => Promise.resolve(newCustomerPage(visit)),
  }),
  createCustomerInConsole: page({
    ...writing,
    path: '/console/customers/new',
    summary: 'Makes a customer account',
    form: AnyForm,
    handler: async (visit) => {
      const body = visit.form;
      return carryOut(visit, {
        work: () => visit.call(customerEndpoints.createCustomer, { body }),
        again: (complaint) => newCustomerPage(visit, body, complaint),
        next: (done) => `/console/customers/${done.account.id}?done=created`,
      });
    },
  }),
  showCustomer: page({
    ...reading,
    path: '/console/customers/{id}',
    summary: 'One customer, and all that happened',
    params: IdPath,
    query: z.object(listQuery),
    handler: customerPage,
  }),
  deactivateCustomer: page({
    ...writing,
    path: '/console/customers/{id}/deactivate',
    summary: 'Deactivates a customer',
    params: IdPath,
    handler: async (visit) => {
      const body = { customerID: visit.params.id };
      await visit.call(registeredUserEndpoints.deactivateAccount, { body });
      return new Redirect(`/console/customers/${visit.params.id}?done=changed`);
    },
  }),
  grantInConsole: page({
    ...writing,
    auth: merchant('items:write'),
    path: '/console/customers/{id}/grant',
    summary: 'Gives a customer access by hand',
    params: IdPath,
    form: AnyForm,
    handler: async (visit) => {
      const { id } = visit.params;
      const body = { ...visit.form, consumer_id: id };
      return carryOut(visit, {
        work: () => visit.call(grantEndpoints.createGrant, { body }),
        again: (complaint) => customerPage(visit, complaint),
        next: `/console/customers/${id}?done=changed`,
      });
    },
  }),
  revokeInConsole: page({
    ...writing,
    auth: merchant('items:write'),
    path: '/console/customers/{id}/accesses/{access_id}/revoke',
    summary: 'Takes access from a customer',
    params: z.object({ id: z.string(), access_id: z.string() }),
    handler: async (visit) => {
      const { id, access_id } = visit.params;
      await visit.call(grantEndpoints.revokeAccess, { params: { id: access_id } });
      return new Redirect(`/console/customers/${id}?done=changed`);
    },
  }),
};

function newCustomerPage(visit: Visit, values: Record<string, unknown> = {}, complaint?: Complaint): Shown {
  const texts = textsFor(visit);
  const { t } = texts;
  const known = (name: string) => ({
    name,
    value: typeof values[name] === 'string' ? values[name] : undefined,
    complaint,
  });
  const content = html`${complaints(texts, complaint, ['email', 'full_name'])}
    ${field(texts, { ...known('email'), type: 'email', label: t('common.email'), isRequired: true })}
    ${field(texts, { ...known('full_name'), label: t('common.fullName') })}
    <p class="hint">${t('console.customers.createHint')}</p>
    ${submit(t('console.customers.create'))}`;
  const place = {
    section: 'customers',
    title: t('console.customers.create'),
    back: { address: '/console/customers', text: t('console.sections.customers') },
  } as const;
  const whole = html`<div class="card">${form(visit, { action: '/console/customers/new', content })}</div>`;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

/** What the customer said at the registration, in the words of the questions; what apps keep besides by its own name. */
async function answersOf(visit: CustomerVisit, metadata: Readonly<Record<string, string>>) {
  const params = { merchant_uuid: visit.caller.merchantUuid };
  const { collection } = await visit.call(registerFieldEndpoints.listRegisterFields, { params });
  return Object.entries(metadata).map(([name, value]) => {
    const asked = collection.find((field) => field.name === name);
    return [asked?.label ?? name, asked?.options[value] ?? value] as const;
  });
}

type CustomerVisit = Visit & {
  caller: Caller;
  params: { id: string };
  query?: { page?: string | undefined; done?: string | undefined } | undefined;
};

async function customerPage(visit: CustomerVisit, complaint?: Complaint): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { id } = visit.params;
  const found = await visit.call(registeredUserEndpoints.listRegisteredUsers, {
    query: { search: [`id:${id}`], active: 'all' },
  });
  const customer = found.collection.find((row) => String(row.id) === id);
  if (!customer) throw new AppError('account_not_found');
  const isActive = (await namesOf(visit.caller, [customer.id])).get(customer.id)?.isActive !== false;
  const timeline = await visit.call(timelineEndpoints.getTimeline, {
    params: { id },
    query: given({ page: visit.query?.page }),
  });
  const place = {
    section: 'customers',
    title: customer.email,
    back: { address: '/console/customers', text: t('console.sections.customers') },
    actions:
      isActive &&
      asking(visit, {
        action: `/console/customers/${id}/deactivate`,
        label: t('console.customers.deactivate'),
        question: t('console.customers.deactivateQuestion'),
      }),
    done: visit.query?.done,
  } as const;
  const about = facts([
    [t('common.fullName'), customer.full_name],
    [t('console.fields.id'), customer.id],
    ['UUID', html`<code>${customer.uuid}</code>`],
    [t('console.fields.createdAt'), when(texts, customer.created_at)],
    [t('console.fields.referrer'), customer.referrer],
    ...(await answersOf(visit, customer.metadata)),
  ]);
  const whole = html`${!isActive && html`<p class="alert warn">${t('console.customers.inactive')}</p>`}
    <section class="card">${about}</section>
    ${await holdings(visit, texts, id, complaint)}
    <section class="stack">
      <h2>${t('console.customers.timeline')}</h2>
      ${timelineOf(texts, timeline.collection)}
      ${pager(visit, texts, timeline, { list: 'timeline', query: { account_id: id } })}
    </section>`;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

const mayGrant = ({ caller }: Visit) =>
  caller !== undefined && (['items:read', 'items:write'] as const).every((scope) => mayCall(merchant(scope), caller));

/** What the customer pays for, and what it may see. */
async function holdings(
  visit: CustomerVisit,
  texts: Texts,
  id: string,
  complaint: Complaint | undefined,
): Promise<Html> {
  const { t } = texts;
  if (visit.caller?.scopes.includes('payments:read') !== true) return html``;
  const subscriptions = await visit.call(subscriptionEndpoints.listSubscriptions, {
    query: { account_id: id, limit: 50 },
  });
  const purchases = await visit.call(purchaseEndpoints.listPurchases, {
    query: { customerID: id, status: 'all', limit: 50 },
  });
  const accesses = table({
    title: t('console.customers.access'),
    rows: purchases.collection,
    empty: t('console.customers.noAccess'),
    columns: [
      { title: t('console.fields.item'), cell: ({ item_title }) => item_title },
      { title: t('console.fields.state'), cell: ({ type }) => badge(texts, type) },
      { title: t('console.fields.from'), cell: ({ starts_at }) => day(texts, starts_at) },
      { title: t('console.fields.until'), cell: ({ expires_at }) => day(texts, expires_at) },
      {
        title: t('console.fields.actions'),
        cell: (row) =>
          ['purchased', 'granted'].includes(row.type) &&
          asking(visit, {
            action: `/console/customers/${id}/accesses/${row.item_access_id}/revoke`,
            label: t('console.customers.revoke'),
            question: t('console.customers.revokeQuestion'),
          }),
      },
    ],
  });
  return html`<section class="stack">
      <h2>${t('console.sections.subscriptions')}</h2>
      ${subscriptionTable(texts, subscriptions.collection)}
      ${fileOf(visit, texts, subscriptions.collection, { list: 'subscriptions', query: { account_id: id } })}
    </section>
    <section class="stack">
      <h2>${t('console.customers.access')}</h2>
      ${accesses} ${fileOf(visit, texts, purchases.collection, { list: 'accesses', query: { account_id: id } })}
      ${mayGrant(visit) && (await grantForm(visit, texts, id, complaint))}
    </section>`;
}

/** More are given by the interface. */
const choicesMax = 500;

async function grantForm(visit: Visit, texts: Texts, id: string, complaint: Complaint | undefined): Promise<Html> {
  const { t } = texts;
  const items = await visit.call(itemEndpoints.listItems, { query: { active: 'active', limit: choicesMax } });
  const choices = [['', ''] as const, ...items.collection.map((item) => [String(item.id), item.title] as const)];
  const content = html`${complaints(texts, complaint, ['item_id', 'expires_at'])}
    <div class="halves">
      ${select(texts, { name: 'item_id', label: t('console.fields.item'), choices, complaint, isRequired: true })}
      ${field(texts, { name: 'expires_at', type: 'date', label: t('console.fields.until'), complaint, isRequired: true })}
    </div>
    ${submit(t('console.customers.grant'))}`;
  return html`<details class="more" ${complaint ? 'open' : ''}>
    <summary>${t('console.customers.grantTitle')}</summary>
    <div class="card">${form(visit, { action: `/console/customers/${id}/grant`, content })}</div>
  </details>`;
}
