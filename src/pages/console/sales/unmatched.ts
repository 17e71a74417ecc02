import { namesOf } from '../../../accounts/registeredUsers';
import { merchant } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { unmatchedEndpoints } from '../../../subscriptions/provider/unmatched.endpoints';
import { type RowOf } from '../../layout/answers';
import { complaints } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState } from '../crudPages';
import { confirmButton, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { badge, breakable, type Column, given, mayDo, pager, table, when } from '../lists';
import { customerLink, type Names } from './customerLink';

const address = '/console/transactions/unmatched';

const pages = crudPages({
  address,
  auth: merchant('payments:read'),
  writing: merchant('payments:write'),
  list: unmatchedPage,
});
const { listUnmatchedPayments, refundUnmatchedPayment } = unmatchedEndpoints;

/** Payments at the card provider without a purchase, which was lost when a backup was restored. */
export const unmatchedPages = {
  showUnmatchedPayments: pages.list('Payments without a purchase'),
  refundUnmatchedInConsole: pages.act('refund')(
    'Refunds a payment without a purchase',
    ({ callOnce, params }) => callOnce(refundUnmatchedPayment, { params }),
    { again: unmatchedPage, next: `${address}?done=refunded` },
  ),
};

async function unmatchedPage(visit: MerchantVisit, { page: at, complaint, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(listUnmatchedPayments, { query: given({ page: at }) });
  const ids = found.collection.map(({ customer_id }) => customer_id);
  const names = await namesOf(visit.caller, ids);
  const list = table({
    title: t('console.unmatched.title'),
    rows: found.collection,
    empty: t('console.unmatched.none'),
    columns: columnsOf(visit, texts, names),
  });
  const back = { address: '/console/transactions', text: t('console.sections.transactions') };
  const place = { section: 'transactions', title: t('console.unmatched.title'), back, done } as const;
  const whole = html`<p class="quiet">${t('console.unmatched.explain')}</p>
    ${complaints(texts, complaint, [])} ${list} ${pager(visit, texts, found, { list: 'unmatched-payments', query: {} })}`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

function columnsOf(visit: Visit, texts: Texts, names: Names): Column<RowOf<typeof listUnmatchedPayments>>[] {
  const { t, money } = texts;
  const refund = (id: number) =>
    confirmButton(visit, {
      action: `${address}/${id}/refund`,
      label: t('console.transactions.refund'),
      question: t('console.unmatched.refundQuestion'),
    });
  return [
    { title: t('console.fields.when'), cell: ({ paid_at }) => when(texts, paid_at) },
    { title: t('console.unmatched.purchase'), cell: ({ purchase }) => html`<code>${breakable(purchase)}</code>` },
    {
      title: t('console.fields.customer'),
      cell: ({ customer_id: id }) => id !== 0 && customerLink(names, id),
    },
    { title: t('console.fields.amount'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
    {
      title: t('console.fields.state'),
      cell: ({ status, failure }) => html`${badge(texts, status)} ${failure && html`<p class="small">${failure}</p>`}`,
    },
    {
      title: t('console.fields.actions'),
      cell: ({ id, status }) => ['open', 'failed'].includes(status) && mayDo(visit, 'payments:write') && refund(id),
    },
  ];
}
