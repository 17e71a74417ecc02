import { z } from 'zod';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type PageResponse } from '../../../kit/pages/page';
import { unprovedSaleEndpoints } from '../../../tax/unprovedSales.endpoints';
import { type RowOf } from '../../layout/answers';
import { named, type Texts, textsFor } from '../../layout/texts';
import { inConsole, listQuery, type MerchantVisit, showInConsole } from '../frame';
import { breakable, type Column, day, pager, partIn, table } from '../lists';

const ListQuery = z.object(listQuery);

export const unprovedSalePages = {
  showUnprovedSales: page({
    ...inConsole,
    auth: merchant('reports:read'),
    method: 'get',
    path: '/console/reports/tax/unproved',
    summary: 'Sales whose country is not proved by two matching pieces of evidence',
    query: ListQuery,
    handler: unprovedPage,
  }),
};

type Row = RowOf<typeof unprovedSaleEndpoints.listUnprovedSales>;

async function unprovedPage(visit: MerchantVisit & { query: z.output<typeof ListQuery> }): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(unprovedSaleEndpoints.listUnprovedSales, { query: partIn(visit.query) });
  const place = {
    section: 'reports',
    title: t('console.unproved.title'),
    back: { address: '/console/reports/tax', text: t('console.taxReport.title') },
  } as const;
  const list = table({
    title: place.title,
    columns: columnsOf(texts),
    rows: found.collection,
    empty: t('console.unproved.none'),
  });
  return showInConsole(
    visit,
    place,
    html`<p class="quiet">${t('console.unproved.explain')}</p>
      ${list} ${found.total > found.limit && pager(visit, texts, found)}`,
  );
}

function columnsOf(texts: Texts): Column<Row>[] {
  const { t, money, country: countryName, series } = texts;
  return [
    { title: t('console.unproved.paid'), cell: ({ paid_at }) => day(texts, paid_at) },
    { title: t('console.unproved.payment'), cell: transactionLink },
    { title: t('console.taxReport.treatment'), cell: ({ treatment }) => named(texts, 'taxTreatments', treatment) },
    {
      title: t('console.taxReport.place'),
      cell: ({ country, region }) => series([countryName(country), region]),
    },
    { title: t('console.unproved.billing'), cell: ({ evidence }) => pieceOf(texts, evidence.billing) },
    { title: t('console.unproved.card'), cell: ({ evidence }) => pieceOf(texts, evidence.card) },
    { title: t('console.unproved.network'), cell: ({ evidence }) => pieceOf(texts, evidence.network) },
    { title: t('console.invoices.tax'), cell: (row) => money(row.tax_amount, row.currency_iso), isNumber: true },
    { title: t('console.invoices.gross'), cell: (row) => money(row.gross_amount, row.currency_iso), isNumber: true },
  ];
}

/** A piece that is not known is why the sale is in the list, so its place is not empty. */
const pieceOf = ({ country }: Texts, piece: string) => (piece === '' ? '–' : country(piece));

const transactionLink = ({ trx_token: token, consumer_id: id }: Row): Html =>
  html`<a href="/console/customers/${id}">${breakable(token)}</a>`;
