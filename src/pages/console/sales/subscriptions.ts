import { z } from 'zod';
import { namesOf } from '../../../accounts/registeredUsers';
import { merchant } from '../../../kit/auth';
import { html, type Html, type Written } from '../../../kit/html';
import { page, type PageResponse, type Visit } from '../../../kit/pages/page';
import { runOfSubscription } from '../../../platform';
import { subscriptionEndpoints } from '../../../subscriptions/subscriptions.endpoints';
import { type Change, isUnderWay, makeChange } from '../../customer/subscriptionChanges';
import { copyable, copyOnly } from '../../layout/copyable';
import { type AnswerOf, type RowOf } from '../../layout/answers';
import { attempt } from '../../layout/explain';
import { complaints, select } from '../../layout/forms';
import { type Choice } from '../../layout/lists';
import { methodLabel } from '../../layout/methods';
import { named, type Texts, textsFor } from '../../layout/texts';
import { dayField } from '../../layout/times';
import { formPage, type PageState, showPage, type VisitWith } from '../crudPages';
import { AnyForm } from '../fields';
import { confirmButton, carryOut, inConsole, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { savedFilters } from '../savedFilters';
import {
  badge,
  day,
  emptyBeforeSales,
  emptyOf,
  facts,
  given,
  mayDo,
  orderIn,
  partIn,
  sizedPager,
  type Sorting,
  sortingOf,
  table,
  when,
} from '../lists';
import { bulkForm, choiceOf } from '../bulk';
import { subscriptionTabs } from './cancelOffers';
import { chosenSubscriptions } from './chosenSubscriptions';
import { customerLink, type Names } from './customerLink';
import { extendById, extensionFieldNames, extensionFields } from './extensions';
import { readCustomer } from './saleFilter';
import { filterForm, FilteredQuery, living, stateFilter } from './subscriptionFilter';
import { runLink } from './timeline';

export const subscriptionPages = {
  showSubscriptions: page({
    ...inConsole,
    auth: merchant('payments:read'),
    method: 'get',
    path: '/console/subscriptions',
    summary: 'The subscriptions',
    query: FilteredQuery,
    handler: subscriptionsPage,
  }),
  showSubscription: showPage({
    auth: merchant('payments:read'),
    path: '/console/subscriptions/{id}',
    summary: 'One subscription',
    show: subscriptionPage,
  }),
  extendSubscriptionInConsole: formPage({
    auth: merchant('payments:write'),
    path: '/console/subscriptions/{id}/extend',
    summary: 'Extends the period of a subscription',
    work: (visit) => extendById(visit, visit.params.id, visit.form['days']),
    again: subscriptionPage,
    next: (done, { params }) => `/console/subscriptions/${params.id}?done=${done}`,
  }),
  changeSubscription: page({
    ...inConsole,
    auth: merchant('payments:write'),
    method: 'post',
    path: '/console/subscriptions/{id}/{change}',
    summary: 'Cancels, resumes, pauses or retries a subscription',
    params: z.object({ id: z.string(), change: z.enum(['cancel', 'resume', 'pause', 'retry']) }),
    form: AnyForm,
    handler: (visit) => {
      const { params, form: body } = visit;
      const own = `/console/subscriptions/${params.id}`;
      return carryOut(visit, {
        work: () => makeChange(visit, params.change, { params: { id: params.id }, body }),
        again: (complaint) => subscriptionPage(visit, { complaint }),
        next: (done) => `${own}?done=${isUnderWay(done) ? 'underWay' : 'changed'}`,
      });
    },
  }),
};

async function subscriptionsPage(
  visit: MerchantVisit & { query: z.output<typeof FilteredQuery> },
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { status, item_id, done } = visit.query;
  const place = { section: 'subscriptions', title: texts.t('console.sections.subscriptions'), done } as const;
  const customer = await readCustomer(visit, texts, visit.query.customer);
  const query = { ...partIn(visit.query), ...stateFilter(status), ...given({ item_id }), ...customer.query };
  const outcome = customer.complaint
    ? { refused: customer.complaint }
    : await attempt(texts, () => visit.call(subscriptionEndpoints.listSubscriptions, { query }));
  const refused = 'refused' in outcome ? outcome.refused : undefined;
  const search = html`${subscriptionTabs(texts, '/console/subscriptions')}
  ${await filterForm(visit, texts, { ...visit.query, customer: customer.shown }, refused)} ${customer.notice}`;
  if ('refused' in outcome) return showInConsole(visit, place, search, refusedIf(refused));
  const found = outcome.done;
  const names = await namesOf(
    visit.caller,
    found.collection.map(({ account_id }) => account_id),
  );
  const row = {
    value: ({ subscription_id }: SubscriptionRow) => subscription_id,
    name: ({ item_title, account_id }: SubscriptionRow) =>
      `${item_title}, ${names.get(account_id)?.name ?? account_id}`,
  };
  const choice = choiceOf(visit, texts, chosenSubscriptions, row);
  const order = orderIn(visit.query);
  const none = emptyBeforeSales(visit, texts, texts.t('console.subscriptions.none'));
  const empty = emptyOf(texts, '/console/subscriptions', { status, item_id, ...customer.query }, none);
  const sorting = sortingOf(visit, texts, order);
  const list = subscriptionTable(texts, found.collection, { names, choice, sorting, empty });
  const tokens = found.collection.map(({ subscription_id }) => subscription_id);
  const filter = { status, item_id, ...customer.query, ...order };
  const content = html`${search} ${await savedFilters(visit, texts, 'subscriptions', filter)} ${list}
  ${bulkForm(visit, texts, chosenSubscriptions, tokens)}
  ${sizedPager(visit, texts, found, { list: 'subscriptions', query })}`;
  return showInConsole(visit, place, content);
}

type SubscriptionRow = RowOf<typeof subscriptionEndpoints.listSubscriptions>;

interface ListParts {
  names: Names;
  choice: Choice<SubscriptionRow> | undefined;
  sorting: Sorting;
  empty: Written;
}

/** `several`: the list has the subscriptions of several customers. */
export function subscriptionTable(texts: Texts, rows: readonly SubscriptionRow[], several?: ListParts): Html {
  const { t, money } = texts;
  const customer = {
    title: t('console.fields.customer'),
    cell: ({ account_id }: SubscriptionRow) => customerLink(several?.names, account_id),
  };
  return table<SubscriptionRow>({
    title: t('console.sections.subscriptions'),
    rows,
    empty: several?.empty ?? t('console.subscriptions.none'),
    choice: several?.choice,
    sorting: several?.sorting,
    columns: [
      {
        title: t('console.fields.item'),
        cell: ({ subscription_id, item_title, description }) =>
          html`<a href="/console/subscriptions/${subscription_id}"><bdi>${item_title}</bdi></a>
            ${copyOnly(texts, { value: subscription_id, kind: t('console.fields.id') })}
            <bdi class="quiet small">${description}</bdi>`,
      },
      ...(several ? [customer] : []),
      {
        title: t('console.fields.state'),
        cell: ({ status, cancel_at_period_end }) =>
          html`${badge(texts, status)} ${cancel_at_period_end ? badge(texts, 'ending') : ''}`,
      },
      {
        title: t('console.fields.paidUntil'),
        cell: ({ current_period_end }) => day(texts, current_period_end),
        sort: { by: 'period_end', first: 'asc' },
      },
      { title: t('console.fields.nextBilling'), cell: ({ next_billing_date }) => day(texts, next_billing_date) },
      {
        title: t('console.fields.price'),
        cell: ({ subscription_price, currency }) => money(subscription_price, currency),
        isNumber: true,
      },
    ],
  });
}

async function subscriptionPage(visit: VisitWith<'id'>, state: PageState): Promise<PageResponse> {
  const { complaint, done } = state;
  const texts = textsFor(visit);
  const row = await visit.call(subscriptionEndpoints.getSubscription, { params: visit.params });
  const names = await namesOf(visit.caller, [row.account_id]);
  const about = facts([...termsOf(texts, row, customerLink(names, row.account_id)), ...timesOf(texts, row)]);
  const place = {
    section: 'subscriptions',
    title: row.item_title,
    back: { address: '/console/subscriptions', text: texts.t('console.sections.subscriptions') },
    done,
  } as const;
  const isField = complaint !== undefined && 'days' in complaint.fields;
  const whole = html`${complaints(texts, complaint, extensionFieldNames)}
    <section class="card stack">${about} ${runLink(texts, runOfSubscription(row.subscription_id))}</section>
    ${mayDo(visit, 'payments:write') && html`<section class="row">${changesOf(visit, texts, row, state)}</section>`}`;
  return showInConsole(visit, place, whole, complaint ? { status: isField ? 422 : 409 } : {});
}

type Subscription = AnswerOf<typeof subscriptionEndpoints.getSubscription>;
type Fact = readonly [name: string, value: Written];

function termsOf(texts: Texts, row: Subscription, customer: Html): Fact[] {
  const { t, money, series } = texts;
  const card = row.payment_tool_info;
  return [
    [
      t('console.fields.state'),
      html`${badge(texts, row.status)} ${row.cancel_at_period_end ? badge(texts, 'ending') : ''}`,
    ],
    [t('console.fields.customer'), customer],
    [t('console.fields.item'), html`<a href="/console/items/${row.item_id}">${row.item_title}</a>`],
    [t('console.fields.price'), series([money(row.subscription_price, row.currency), row.description])],
    [
      methodLabel(texts, row.payment_method_name) ?? t('console.fields.card'),
      card && t('console.subscriptions.cardEnding', { digits: card }),
    ],
    [t('console.fields.voucher'), row.voucher_code],
  ];
}

function timesOf(texts: Texts, row: Subscription): Fact[] {
  const { t } = texts;
  return [
    [t('console.fields.since'), when(texts, row.created_at)],
    [t('console.fields.trialEnds'), when(texts, row.trial_end)],
    [t('console.fields.paidUntil'), when(texts, row.current_period_end)],
    [t('console.fields.nextBilling'), when(texts, row.next_billing_date)],
    [t('console.fields.nextRetry'), when(texts, row.next_retry_at)],
    [t('console.fields.graceEnds'), when(texts, row.grace_ends_at)],
    [t('console.fields.resumesAt'), when(texts, row.resumes_at)],
    [t('console.fields.canceledAt'), when(texts, row.canceled_at)],
    [t('console.fields.endedAt'), when(texts, row.ended_at)],
    [t('console.fields.failure'), row.failure_reason && named(texts, 'failures', row.failure_reason)],
    [t('console.fields.id'), copyable(texts, { value: row.subscription_id, name: t('console.fields.id') })],
  ];
}

/** The buttons for the changes that the state allows. The endpoint checks the state again. */
function changesOf(visit: Visit, texts: Texts, row: Subscription, { complaint, values = {} }: PageState): Html {
  const { t } = texts;
  const isRunning = (living as readonly string[]).includes(row.status);
  const isStopping = row.cancel_at_period_end || row.pauses_at_period_end || row.status === 'paused';
  const ask = (change: Change, isDangerous: boolean, fields?: Html) =>
    confirmButton(visit, {
      action: `/console/subscriptions/${row.subscription_id}/${change}`,
      label: t(`console.subscriptions.${change}`),
      question: t(`console.subscriptions.${change}Question`),
      isDangerous,
      ...(fields && { fields }),
    });
  const at = select(texts, {
    name: 'at',
    label: t('console.subscriptions.cancelAt'),
    choices: [
      ['period_end', t('console.subscriptions.atPeriodEnd')],
      ['now', t('console.subscriptions.atOnce')],
    ],
    isRequired: true,
  });
  const extension = confirmButton(visit, {
    action: `/console/subscriptions/${row.subscription_id}/extend`,
    label: t('console.extend.button'),
    question: t('console.extend.question'),
    isDangerous: false,
    isOpen: values['days'] !== undefined,
    fields: extensionFields(texts, { complaint, values }),
  });
  const until = dayField(texts, { name: 'resumes_at', label: t('console.fields.resumesAt') });
  return html`${isRunning && !row.cancel_at_period_end ? ask('cancel', true, at) : ''}
  ${['trialing', 'active'].includes(row.status) ? extension : ''} ${isRunning && isStopping ? ask('resume', false) : ''}
  ${row.status === 'active' && !isStopping ? ask('pause', false, until) : ''}
  ${['past_due', 'on_hold'].includes(row.status) ? ask('retry', false) : ''}`;
}
