import { z } from 'zod';
import { namesOf } from '../../../accounts/registeredUsers/service';
import { type Caller, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type Shown, type Visit } from '../../../kit/pages/page';
import { runOfSubscription } from '../../../platform/service';
import { subscriptionEndpoints } from '../../../subscriptions/endpoints';
import { type Change, makeChange } from '../../customer/subscriptionChanges';
import { type Complaint } from '../../layout/explain';
import { complaints, field, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm } from '../fields';
import { asking, carryOut, IdPath, inConsole, listQuery, named, showInConsole } from '../frame';
import { badge, breakable, day, facts, given, pager, table, when } from '../lists';
import { runLink } from './timeline';

const living = ['trialing', 'active', 'past_due', 'on_hold', 'paused'] as const;
const ended = ['canceled', 'expired', 'revoked', 'incomplete', 'incomplete_expired'] as const;
const ListOfStateQuery = z.object({ ...listQuery, status: z.string().optional() });

export const subscriptionPages = {
  showSubscriptions: page({
    ...inConsole,
    auth: merchant('payments:read'),
    method: 'get',
    path: '/console/subscriptions',
    summary: 'The subscriptions',
    query: ListOfStateQuery,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { page: at, status, done } = visit.query;
      const query = given({ page: at, status });
      const found = await visit.call(subscriptionEndpoints.listSubscriptions, { query });
      const place = { section: 'subscriptions', title: texts.t('console.sections.subscriptions'), done } as const;
      const names = await namesOf(
        visit.caller,
        found.collection.map(({ account_id }) => account_id),
      );
      const list = subscriptionTable(texts, found.collection, names);
      return showInConsole(
        visit,
        place,
        html`${stateForm(texts, status)} ${list} ${pager(visit, texts, found, { list: 'subscriptions', query })}`,
      );
    },
  }),
  showSubscription: page({
    ...inConsole,
    auth: merchant('payments:read'),
    method: 'get',
    path: '/console/subscriptions/{id}',
    summary: 'One subscription',
    params: IdPath,
    query: z.object(listQuery),
    handler: (visit) => subscriptionPage(visit, visit.params.id, { done: visit.query.done }),
  }),
  changeSubscription: page({
    ...inConsole,
    auth: merchant('payments:write'),
    method: 'post',
    path: '/console/subscriptions/{id}/{change}',
    summary: 'Cancels, resumes, pauses or retries',
    params: z.object({ id: z.string(), change: z.enum(['cancel', 'resume', 'pause', 'retry']) }),
    form: AnyForm,
    handler: async (visit) => {
      const { id, change } = visit.params;
      const sent = { params: { id }, body: visit.form };
      return carryOut(visit, {
        work: () => makeChange(visit, change, sent),
        again: (complaint) => subscriptionPage(visit, id, { complaint }),
        next: `/console/subscriptions/${id}?done=changed`,
      });
    },
  }),
};

interface SubscriptionRow {
  subscription_id: string;
  account_id: number;
  item_title: string;
  description: string;
  status: string;
  subscription_price: number;
  currency: string;
  current_period_end: number;
  next_billing_date: number;
  cancel_at_period_end: boolean;
}

type Names = Awaited<ReturnType<typeof namesOf>>;

/** `names`: of the customers, where they are not all one's. */
export function subscriptionTable(texts: Texts, rows: readonly SubscriptionRow[], names?: Names): Html {
  const { t, money } = texts;
  const customer = {
    title: t('console.fields.customer'),
    cell: ({ account_id }: SubscriptionRow) => customerLink(names, account_id),
  };
  return table<SubscriptionRow>({
    title: t('console.sections.subscriptions'),
    rows,
    empty: t('console.subscriptions.none'),
    columns: [
      {
        title: t('console.fields.item'),
        cell: ({ subscription_id, item_title, description }) =>
          html`<a href="/console/subscriptions/${subscription_id}">${item_title}</a>
            <span class="quiet small">${description}</span>`,
      },
      ...(names ? [customer] : []),
      {
        title: t('console.fields.state'),
        cell: ({ status, cancel_at_period_end }) =>
          html`${badge(texts, status)} ${cancel_at_period_end ? badge(texts, 'ending') : ''}`,
      },
      { title: t('console.fields.paidUntil'), cell: ({ current_period_end }) => day(texts, current_period_end) },
      { title: t('console.fields.nextBilling'), cell: ({ next_billing_date }) => day(texts, next_billing_date) },
      {
        title: t('console.fields.price'),
        cell: ({ subscription_price, currency }) => money(subscription_price, currency),
        isNumber: true,
      },
    ],
  });
}

function customerLink(names: Names | undefined, id: number): Html {
  const { name: email, fullName } = names?.get(id) ?? { name: String(id), fullName: '' };
  const name = fullName === '' ? '' : html`<span class="quiet small">${fullName}</span>`;
  return html`<a href="/console/customers/${id}">${breakable(email)}</a> ${name}`;
}

function stateForm(texts: Texts, status: string | undefined): Html {
  const { t } = texts;
  const states = [...living, ...ended].map((state) => [state, t(`console.states.${state}`)] as const);
  const choices = [['', t('console.all')] as const, ...states];
  return html`<form method="get" action="/console/subscriptions" class="card filters">
    ${select(texts, { name: 'status', value: status, label: t('console.fields.state'), choices, isRequired: true })}
    ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}

async function subscriptionPage(
  visit: Visit & { caller: Caller },
  id: string,
  { complaint, done }: { complaint?: Complaint; done?: string | undefined },
): Promise<Shown> {
  const texts = textsFor(visit);
  const { t, money } = texts;
  const row = await visit.call(subscriptionEndpoints.getSubscription, { params: { id } });
  const about = facts([
    [
      t('console.fields.state'),
      html`${badge(texts, row.status)} ${row.cancel_at_period_end ? badge(texts, 'ending') : ''}`,
    ],
    [t('console.fields.customer'), customerLink(await namesOf(visit.caller, [row.account_id]), row.account_id)],
    [t('console.fields.item'), html`<a href="/console/items/${row.item_id}">${row.item_title}</a>`],
    [t('console.fields.price'), `${money(row.subscription_price, row.currency)}, ${row.description}`],
    [
      t('console.fields.card'),
      row.payment_tool_info && t('console.subscriptions.cardEnding', { digits: row.payment_tool_info }),
    ],
    [t('console.fields.voucher'), row.voucher_code],
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
    [t('console.fields.id'), html`<code>${row.subscription_id}</code>`],
  ]);
  const place = {
    section: 'subscriptions',
    title: row.item_title,
    back: { address: '/console/subscriptions', text: t('console.sections.subscriptions') },
    done,
  } as const;
  const whole = html`${complaints(texts, complaint, [])}
    <section class="card stack">${about} ${runLink(texts, runOfSubscription(row.subscription_id))}</section>
    <section class="row">${changesOf(visit, texts, row)}</section>`;
  return showInConsole(visit, place, whole, complaint ? { status: 409 } : {});
}

interface Changeable {
  subscription_id: string;
  status: string;
  cancel_at_period_end: boolean;
  pauses_at_period_end: boolean;
}

/** What the state allows; the endpoint has the last word. */
function changesOf(visit: Visit, texts: Texts, row: Changeable): Html {
  const { t } = texts;
  const isLiving = (living as readonly string[]).includes(row.status);
  const isStopping = row.cancel_at_period_end || row.pauses_at_period_end || row.status === 'paused';
  const ask = (change: Change, isDangerous: boolean, fields?: Html) =>
    asking(visit, {
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
  const until = field(texts, { name: 'resumes_at', type: 'date', label: t('console.fields.resumesAt') });
  return html`${isLiving && !row.cancel_at_period_end ? ask('cancel', true, at) : ''}
  ${isLiving && isStopping ? ask('resume', false) : ''}
  ${row.status === 'active' && !isStopping ? ask('pause', false, until) : ''}
  ${['past_due', 'on_hold'].includes(row.status) ? ask('retry', false) : ''}`;
}
