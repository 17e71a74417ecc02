import { z } from 'zod';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, PageResponse } from '../../../kit/pages/page';
import { invoiceEndpoints } from '../../../invoices/invoices.endpoints';
import { copyableInRow } from '../../layout/copyable';
import { type RowOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { field, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { inConsole, listQuery, type MerchantVisit, orderQuery, showInConsole } from '../frame';
import { savedFilters } from '../savedFilters';
import { confirmationText } from './taxNumbers';
import {
  badge,
  breakable,
  type Column,
  emptyOf,
  emptyWith,
  given,
  keptOrder,
  orderIn,
  partIn,
  sizedPager,
  sortingOf,
  table,
  when,
} from '../lists';

const invoices = { ...inConsole, auth: merchant('payments:read'), method: 'get' } as const;
const kinds = ['invoice', 'credit_note', 'cancellation'] as const;
const text = z.string().optional();
const ListQuery = z.object({ ...listQuery, ...orderQuery, search: text, kind: text, startDate: text, endDate: text });

/** The invoices and credit notes of customers, with their documents. */
export const invoicePages = {
  showInvoices: page({
    ...invoices,
    path: '/console/invoices',
    summary: 'The invoices and credit notes of customers',
    query: ListQuery,
    handler: invoicesPage,
  }),
  downloadInvoice: page({
    ...invoices,
    path: '/console/invoices/{number}/document',
    summary: 'An invoice or a credit note as PDF',
    params: z.object({ number: z.string().max(40) }),
    handler: async ({ call, params }) => {
      const bytes = await call(invoiceEndpoints.getInvoiceDocument, { params });
      const headers = { 'Content-Disposition': `attachment; filename="${encodeURIComponent(params.number)}.pdf"` };
      return new PageResponse(bytes, { contentType: 'application/pdf', headers });
    },
  }),
};

async function invoicesPage(visit: MerchantVisit & { query: z.output<typeof ListQuery> }): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { search, kind, startDate, endDate, done } = visit.query;
  const query = { ...partIn(visit.query), ...given({ search, kind, startDate, endDate }) };
  const outcome = await attempt(texts, () => visit.call(invoiceEndpoints.listInvoices, { query }));
  const place = {
    section: 'transactions',
    title: t('console.invoices.title'),
    back: { address: '/console/transactions', text: t('console.sections.transactions') },
    done,
  } as const;
  const filters = filterForm(texts, visit.query, 'refused' in outcome ? outcome.refused : undefined);
  if ('refused' in outcome) return showInConsole(visit, place, filters, { status: 422 });
  const next = { address: '/console/settings/tax', text: t('console.settings.tax'), scope: 'settings:write' } as const;
  const none = emptyWith(visit, t('console.invoices.none'), next);
  const list = table({
    title: place.title,
    columns: columnsOf(texts),
    rows: outcome.done.collection,
    empty: emptyOf(texts, '/console/invoices', { search, kind, startDate, endDate }, none),
    sorting: sortingOf(visit, texts, visit.query, 'issued'),
  });
  const file = {
    startDate,
    endDate,
    ...orderIn(visit.query),
    ...(search !== undefined && search !== '' && { search: [`text:${search}`] }),
  };
  const pages = sizedPager(visit, texts, outcome.done, { list: 'invoices', query: file });
  return showInConsole(
    visit,
    place,
    html`<p class="quiet">${t('console.invoices.explain')}</p>
      ${filters} ${await savedFilters(visit, texts, 'invoices', query)} ${list} ${pages}`,
  );
}

type Row = RowOf<typeof invoiceEndpoints.listInvoices>;

function columnsOf(texts: Texts): Column<Row>[] {
  const { t, money } = texts;
  const amount = (title: string, read: (row: Row) => number): Column<Row> => ({
    title,
    cell: (row) => money(read(row), row.currency_iso),
    isNumber: true,
  });
  return [
    {
      title: t('console.invoices.number'),
      cell: ({ number: value }) =>
        copyableInRow(texts, {
          value,
          shown: html`<a href="/console/invoices/${value}/document" download>${value}</a>`,
        }),
    },
    {
      title: t('console.fields.when'),
      cell: ({ issued_at }) => when(texts, issued_at),
      sort: { by: 'issued', first: 'desc' },
    },
    { title: t('console.invoices.kind'), cell: ({ kind }) => badge(texts, kind) },
    {
      title: t('console.fields.customer'),
      cell: (row) => customerOf(texts, row),
    },
    amount(t('console.invoices.net'), ({ net_amount }) => net_amount),
    amount(t('console.invoices.tax'), ({ tax_amount }) => tax_amount),
    amount(t('console.invoices.gross'), ({ gross_amount }) => gross_amount),
  ];
}

/** The customer, and for a business its tax number with the proof of its confirmation and what the register answered. */
function customerOf(texts: Texts, row: Row): Html {
  const { consumer_id: id, consumer_email: email, buyer_tax_number: number, tax_number_confirmed_at: at } = row;
  const confirmed = at === null ? '' : ` · ${confirmationText(texts, at, row.tax_number_consultation)}`;
  return html`<a href="/console/customers/${id}">${breakable(email || String(id))}</a>
    ${number !== '' && html`<span class="quiet small"><bdi>${number}</bdi>${confirmed}</span>`}
    ${row.tax_number_entry !== '' && html`<span class="quiet small"><bdi>${row.tax_number_entry}</bdi></span>`}`;
}

function filterForm(texts: Texts, query: Record<string, string | undefined>, complaint: Complaint | undefined) {
  const { t } = texts;
  const choices = [
    ['', t('console.all')] as const,
    ...kinds.map((kind) => [kind, t(`console.states.${kind}`)] as const),
  ];
  const known = (name: string) => ({ name, value: query[name], complaint });
  return html`<form method="get" action="/console/invoices" class="card filters">
    ${field(texts, { ...known('search'), type: 'search', label: t('common.search'), placeholder: t('console.invoices.searchHint') })}
    ${select(texts, { ...known('kind'), label: t('console.invoices.kind'), choices, isFilter: true })}
    ${field(texts, { ...known('startDate'), type: 'date', label: t('console.fields.from'), isFilter: true })}
    ${field(texts, { ...known('endDate'), type: 'date', label: t('console.fields.to'), isFilter: true })}
    ${keptOrder(query)} ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}
