import { z } from 'zod';
import { namesOf } from '../../../accounts/registeredUsers';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, PageResponse } from '../../../kit/pages/page';
import { disputeEndpoints } from '../../../subscriptions/provider/disputes.endpoints';
import { receiptEndpoints } from '../../../subscriptions/receipts.endpoints';
import { copyable } from '../../layout/copyable';
import { type AnswerOf, type RowOf } from '../../layout/answers';
import { complaints, form, submit, textarea } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { asText } from '../fields';
import { inConsole, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { badge, type Column, facts, given, mayDo, pager, table, when } from '../lists';
import { customerLink, type Names } from './customerLink';

const address = '/console/transactions/disputes';

const pages = crudPages({
  address,
  auth: merchant('payments:read'),
  writing: merchant('payments:write'),
  list: disputesPage,
  one: disputePage,
});
const { getDispute, listDisputes, submitDisputeEvidence } = disputeEndpoints;

/** Payments that the customer's bank has taken back. */
export const disputePages = {
  showDisputes: pages.list('Disputed payments'),
  showDispute: pages.show('One dispute with its evidence'),
  downloadDisputeReceipt: page({
    ...inConsole,
    auth: merchant('payments:read'),
    method: 'get',
    path: `${address}/{id}/receipt`,
    summary: 'The receipt that is submitted as evidence of a dispute',
    params: z.object({ id: z.string() }),
    handler: async ({ call, params }) => {
      const { transaction: trx_token } = await call(getDispute, { params });
      const bytes = await call(receiptEndpoints.getReceipt, { params: { trx_token } });
      const headers = { 'Content-Disposition': `attachment; filename="receipt-${trx_token}.pdf"` };
      return new PageResponse(bytes, { contentType: 'application/pdf', headers });
    },
  }),
  submitEvidenceInConsole: pages.act('evidence')(
    'Submits the evidence of a dispute',
    ({ call, params, form: { statement } }) => call(submitDisputeEvidence, { params, body: { statement } }),
    { again: disputePage, next: `${address}/{id}?done=sent` },
  ),
};

async function disputesPage(visit: MerchantVisit, { page: at, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(listDisputes, { query: given({ page: at }) });
  const title = t('console.disputes.title');
  const names = await namesOf(
    visit.caller,
    found.collection.map(({ customer_id }) => customer_id),
  );
  const columns = columnsOf(texts, names);
  const list = table({ title, rows: found.collection, empty: t('console.disputes.none'), columns });
  const back = { address: '/console/transactions', text: t('console.sections.transactions') };
  const whole = html`<p class="quiet">${t('console.disputes.explain')}</p>
    ${list} ${pager(visit, texts, found, { list: 'disputes', query: {} })}`;
  return showInConsole(visit, { section: 'transactions', title, back, done }, whole);
}

type DisputeRow = RowOf<typeof listDisputes>;

function columnsOf(texts: Texts, names: Names): Column<DisputeRow>[] {
  const { t, money } = texts;
  return [
    {
      title: t('console.fields.when'),
      cell: ({ id, opened_at }) => html`<a href="${address}/${id}">${when(texts, opened_at)}</a>`,
    },
    { title: t('console.disputes.reason'), cell: ({ reason }) => named(texts, 'disputeReasons', reason) },
    { title: t('console.fields.amount'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
    { title: t('console.fields.state'), cell: ({ status }) => badge(texts, status) },
    { title: t('console.disputes.due'), cell: ({ due_at }) => (due_at === 0 ? '' : when(texts, due_at)) },
    {
      title: t('console.fields.customer'),
      cell: ({ customer_id: id }) => customerLink(names, id),
    },
  ];
}

type OneDispute = AnswerOf<typeof getDispute>;

async function disputePage(visit: VisitWith<'id'>, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { id } = visit.params;
  const dispute = await visit.call(getDispute, { params: { id } });
  const names = await namesOf(visit.caller, [dispute.customer_id]);
  const isOpen = dispute.status === 'needs_response' && dispute.evidence_sent_at === 0;
  const content = html`${complaints(texts, complaint, ['statement'])}
  ${textarea(texts, { name: 'statement', value: asText(values['statement']), label: t('console.disputes.statement'), hint: t('console.disputes.statementHint'), complaint, isRequired: true })}
  ${submit(t('console.disputes.submit'))}`;
  const answer =
    isOpen && mayDo(visit, 'payments:write')
      ? html`<section class="card stack">
          <h2>${t('console.disputes.respond')}</h2>
          <p class="quiet">${t('console.disputes.once')}</p>
          ${form(visit, { action: `${address}/${id}/evidence`, content })}
        </section>`
      : '';
  const back = { address, text: t('console.disputes.title') };
  const title = `${t('console.disputes.one')} ${texts.money(dispute.amount, dispute.currency)}`;
  const whole = html`${factsOf(texts, dispute, names)} ${evidenceOf(texts, dispute)} ${answer}`;
  return showInConsole(visit, { section: 'transactions', title, back, done }, whole, refusedIf(complaint));
}

function factsOf(texts: Texts, dispute: OneDispute, names: Names): Html {
  const { t, money } = texts;
  const { reason, status, fee, fee_currency, opened_at, due_at, evidence_sent_at, transaction, customer_id } = dispute;
  return html`<section class="card stack">
    ${facts([
      [t('console.fields.state'), badge(texts, status)],
      [t('console.disputes.reason'), named(texts, 'disputeReasons', reason)],
      [t('console.fields.when'), when(texts, opened_at)],
      [t('console.disputes.due'), due_at === 0 ? '' : when(texts, due_at)],
      [t('console.disputes.fee'), fee_currency === '' ? '' : money(fee, fee_currency)],
      [t('console.disputes.sent'), evidence_sent_at === 0 ? '' : when(texts, evidence_sent_at)],
      [
        t('console.disputes.transaction'),
        copyable(texts, { value: transaction, name: t('console.disputes.transaction') }),
      ],
      [t('console.fields.customer'), customerLink(names, customer_id)],
    ])}
  </section>`;
}

/** The evidence that is submitted together with the statement. */
function evidenceOf(texts: Texts, { id, evidence }: OneDispute): Html {
  const { t } = texts;
  const { customer_name, customer_email, customer_address, purchase_device, product, paid_on, access_log, receipt } =
    evidence;
  const document = html`<a href="${address}/${id}/receipt">${t('console.disputes.downloadReceipt')}</a>`;
  return html`<section class="card stack">
    <h2>${t('console.disputes.evidence')}</h2>
    ${facts([
      [t('console.disputes.customerName'), customer_name],
      [t('common.email'), customer_email],
      [t('console.disputes.customerAddress'), customer_address],
      [t('console.disputes.device'), purchase_device],
      [t('console.disputes.product'), product],
      [t('console.disputes.paidOn'), texts.calendarDay(paid_on)],
      [t('console.disputes.receipt'), receipt === '' ? '' : document],
    ])}
    <details class="more">
      <summary>${t('console.disputes.accessLog')}</summary>
      <pre>${access_log}</pre>
    </details>
  </section>`;
}
