import { z } from 'zod';
import { namesOf } from '../../../accounts/registeredUsers';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type PageResponse } from '../../../kit/pages/page';
import { historyEndpoints } from '../../../subscriptions/histories.endpoints';
import { refundEndpoints } from '../../../subscriptions/refunds/refunds.endpoints';
import { getRefundable, type RefundOfCharge } from '../../../subscriptions/refunds/refundable';
import { copyable, copyOnly } from '../../layout/copyable';
import { type RowOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { formPage, type PageState, showPage, type VisitWith } from '../crudPages';
import { inConsole, listQuery, orderQuery, refusedIf, type MerchantVisit, showInConsole } from '../frame';
import { savedFilters } from '../savedFilters';
import {
  badge,
  breakable,
  type Column,
  emptyOf,
  facts,
  given,
  keptOrder,
  mayDo,
  partIn,
  sizedPager,
  sortingOf,
  table,
  when,
} from '../lists';
import { readCustomer, saleFieldNames, saleFields } from './saleFilter';

const refundPlace = { auth: merchant('payments:write'), path: '/console/transactions/{trx_token}/refund' } as const;
const types = ['charge', 'gift-payment', 'recurrent', 'refund', 'free-trial', 'external'] as const;
const text = z.string().optional();
const filters = { type: text, startDate: text, endDate: text, item_id: text, amount_from: text, amount_to: text };
const ListQuery = z.object({ ...listQuery, ...orderQuery, ...filters, customer: text });

export const transactionPages = {
  showTransactions: page({
    ...inConsole,
    auth: merchant('payments:read'),
    method: 'get',
    path: '/console/transactions',
    summary: 'The payments and refunds of customers',
    query: ListQuery,
    handler: transactionsPage,
  }),
  showRefund: showPage({ ...refundPlace, summary: 'Refund a charge', show: refundPage }),
  refundInConsole: formPage({
    ...refundPlace,
    summary: 'Refunds a charge',
    work: ({ callOnce, params, form: body }) => callOnce(refundEndpoints.refundPayment, { params, body }),
    again: refundPage,
    next: '/console/transactions?done=refunded',
  }),
};

type Transaction = RowOf<typeof historyEndpoints.listTransactions>;

export function transactionColumns(texts: Texts): Column<Transaction>[] {
  const { t, money } = texts;
  return [
    {
      title: t('console.fields.when'),
      cell: ({ timestamp }) => when(texts, timestamp),
      sort: { by: 'created', first: 'desc' },
    },
    {
      title: t('console.fields.what'),
      cell: ({ action_type, trx_token }) =>
        html`${badge(texts, action_type)}
        ${copyOnly(texts, { value: trx_token, kind: t('console.disputes.transaction') })}`,
    },
    { title: t('console.fields.item'), cell: ({ item_title }) => item_title },
    {
      title: t('console.fields.customer'),
      cell: ({ consumer_id, consumer_email }) =>
        html`<a href="/console/customers/${consumer_id}">${breakable(consumer_email)}</a>`,
    },
    {
      title: t('console.fields.amount'),
      cell: ({ charged_amount, currency_iso, is_amount_assumed, pending_refund_amount, recorded_at }) =>
        html`${money(charged_amount, currency_iso)} ${is_amount_assumed && t('console.transactions.assumed')}
        ${
          pending_refund_amount > 0 &&
          html`<p class="small">
            ${t('console.transactions.pendingRefund', { amount: money(pending_refund_amount, currency_iso) })}
          </p>`
        }
        ${recorded_at > 0 && html`<p class="small">${t('console.transactions.recorded')}</p>`}`,
      isNumber: true,
    },
  ];
}

function refundColumn(visit: ListVisit, { t }: Texts): Column<Transaction> {
  return {
    title: t('console.fields.actions'),
    cell: ({ action_type, trx_token, charged_amount }) =>
      ['charge', 'recurrent'].includes(action_type) && charged_amount > 0 && mayDo(visit, 'payments:write')
        ? html`<a href="/console/transactions/${trx_token}/refund">${t('console.transactions.refund')}</a>`
        : '',
  };
}

type ListVisit = MerchantVisit & { query: z.output<typeof ListQuery> };

async function transactionsPage(visit: ListVisit): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { done } = visit.query;
  const customer = await readCustomer(visit, texts, visit.query.customer);
  const filter = given(z.object(filters).parse(visit.query));
  const query = { ...partIn(visit.query), ...filter, ...customer.query };
  const outcome = customer.complaint
    ? { refused: customer.complaint }
    : await attempt(texts, () => visit.call(historyEndpoints.listTransactions, { query }));
  const others = html`<a class="button slim" href="/console/invoices">${t('console.invoices.title')}</a>
    <a class="button slim" href="/console/transactions/disputes">${t('console.disputes.title')}</a>
    <a class="button slim" href="/console/transactions/differences">${t('console.differences.title')}</a>
    <a class="button slim" href="/console/transactions/unmatched">${t('console.unmatched.title')}</a>`;
  const title = t('console.sections.transactions');
  const place = { section: 'transactions', title, actions: others, done } as const;
  const sent = { ...visit.query, customer: customer.shown };
  const search = html`${await searchForm(visit, texts, sent, 'refused' in outcome ? outcome.refused : undefined)}
  ${customer.notice}`;
  if ('refused' in outcome) return showInConsole(visit, place, search, { status: 422 });
  const list = table({
    title,
    columns: [...transactionColumns(texts), refundColumn(visit, texts)],
    rows: outcome.done.collection,
    empty: emptyOf(texts, '/console/transactions', { ...filter, ...customer.query }, t('console.transactions.none')),
    sorting: sortingOf(visit, texts, visit.query),
  });
  const pages = sizedPager(visit, texts, outcome.done, { list: 'payment-history', query });
  return showInConsole(
    visit,
    place,
    html`${search} ${await savedFilters(visit, texts, 'transactions', query)} ${list} ${pages}`,
  );
}

async function searchForm(
  visit: ListVisit,
  texts: Texts,
  query: ListVisit['query'],
  complaint: Complaint | undefined,
): Promise<Html> {
  const { t } = texts;
  const choices = [
    ['', t('console.all')] as const,
    ...types.map((type) => [type, t(`console.transactionTypes.${type}`)] as const),
  ];
  const names = {
    type: t('console.fields.what'),
    startDate: t('console.fields.from'),
    endDate: t('console.fields.to'),
    amount_from: t('console.transactions.amountFrom'),
    amount_to: t('console.transactions.amountTo'),
  };
  const about = (name: keyof typeof names) =>
    ({ name, label: names[name], value: query[name], complaint, isFilter: true }) as const;
  return html`<form method="get" action="/console/transactions" class="card filters">
    ${complaints(texts, complaint, { ...names, ...saleFieldNames(texts) })}
    ${select(texts, { ...about('type'), choices })} ${await saleFields(visit, texts, query, complaint)}
    ${field(texts, { ...about('startDate'), type: 'date' })} ${field(texts, { ...about('endDate'), type: 'date' })}
    ${field(texts, { ...about('amount_from'), inputmode: 'decimal' })}
    ${field(texts, { ...about('amount_to'), inputmode: 'decimal' })} ${keptOrder(query)}
    ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}

async function refundPage(visit: VisitWith<'trx_token'>, { complaint }: PageState): Promise<PageResponse> {
  const { trx_token: token } = visit.params;
  const texts = textsFor(visit);
  const { t, money } = texts;
  const { accountId, amount, left, currency, refunds } = await getRefundable(visit.caller, token);
  const names = await namesOf(visit.caller, [accountId]);
  const about = facts([
    [
      t('console.fields.customer'),
      html`<a href="/console/customers/${accountId}">${names.get(accountId)?.name ?? accountId}</a>`,
    ],
    [t('console.transactions.refundOf'), money(amount, currency)],
    [t('console.transactions.left'), money(left, currency)],
    [t('console.fields.id'), copyable(texts, { value: token, name: t('console.fields.id') })],
  ]);
  const content = html`${complaints(texts, complaint, ['amount'])}
  ${field(texts, {
    name: 'amount',
    label: texts.series([t('console.transactions.refundAmount'), currency]),
    hint: t('console.transactions.refundAmountHint', { amount: money(left, currency) }),
    inputmode: 'decimal',
    complaint,
  })}
  ${checkbox({ name: 'revoke_access', label: t('console.transactions.revokeAccess') })}
  ${submit(t('console.transactions.refund'), { kind: 'danger' })}`;
  const place = {
    section: 'transactions',
    title: t('console.transactions.refundTitle'),
    back: { address: '/console/transactions', text: t('console.sections.transactions') },
  } as const;
  const action = `/console/transactions/${token}/refund`;
  const whole = html`<div class="card stack">
    ${about} ${refunds.length > 0 && refundList(texts, refunds)}
    ${left > 0 ? form(visit, { action, content }) : html`<p class="alert">${t('console.transactions.allBack')}</p>`}
  </div>`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

/** The refunds of a payment, and the next steps after a failed refund. */
function refundList(texts: Texts, refunds: RefundOfCharge[]) {
  const { t, money } = texts;
  return table<RefundOfCharge>({
    title: t('console.transactions.refunds'),
    rows: refunds,
    empty: '',
    columns: [
      { title: t('console.fields.when'), cell: ({ at }) => when(texts, at) },
      { title: t('console.fields.amount'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
      {
        title: t('console.fields.state'),
        cell: ({ state, failure }) =>
          html`${badge(texts, state)}
          ${state === 'pending' && html`<p class="small">${t('console.transactions.refundPending')}</p>`}
          ${failure && html`<p class="small">${failure} ${t('console.transactions.refundFailed')}</p>`}`,
      },
    ],
  });
}
