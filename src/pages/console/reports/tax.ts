import { z } from 'zod';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type PageResponse, type Visit } from '../../../kit/pages/page';
import { taxReportEndpoints } from '../../../invoices/taxSums.endpoints';
import { type AnswerOf, type RowOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { complaints, field, select, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { inConsole, refusedIf, showInConsole } from '../frame';
import { type Column, given, mayDownload, table } from '../lists';
import { asOfNote } from './asOf';

const reports = { ...inConsole, auth: merchant('reports:read'), method: 'get' } as const;
const text = z.string().optional();
const PeriodQuery = z.object({ year: text, quarter: text });
type Period = z.output<typeof PeriodQuery>;

/** The tax of a quarter or a year, with the file for the return of the one stop shop. */
export const taxReportPages = {
  showTaxReport: page({
    ...reports,
    path: '/console/reports/tax',
    summary: 'The tax of a quarter or a year',
    query: PeriodQuery,
    handler: taxPage,
  }),
  downloadOssReturn: page({
    ...reports,
    path: '/console/reports/tax/oss',
    summary: 'The sums for the return of the one stop shop',
    query: PeriodQuery,
    handler: ({ file, query }) => file(taxReportEndpoints.getOssReturn, { query }),
  }),
};

async function taxPage(visit: Visit & { query: Period }): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const outcome = await attempt(texts, () =>
    visit.call(taxReportEndpoints.getTaxReport, { query: given(visit.query) }),
  );
  const refused = 'refused' in outcome ? outcome.refused : undefined;
  const place = {
    section: 'reports',
    title: t('console.taxReport.title'),
    back: { address: '/console/reports', text: t('console.sections.reports') },
  } as const;
  const found = 'done' in outcome ? outcome.done : undefined;
  const { year = '', quarter = '' } = found ? chosen(found) : visit.query;
  const list = found && reportOf(visit, texts, found);
  return showInConsole(
    visit,
    place,
    html`${periodForm(texts, { year, quarter }, refused)} ${list}`,
    refusedIf(refused),
  );
}

type Report = AnswerOf<typeof taxReportEndpoints.getTaxReport>;
type Row = RowOf<typeof taxReportEndpoints.getTaxReport>;

const chosen = ({ year, quarter }: Report) => ({ year: String(year), quarter: quarter === 0 ? '' : String(quarter) });

function periodForm(
  texts: Texts,
  { year, quarter }: { year: string; quarter: string },
  complaint: Complaint | undefined,
): Html {
  const { t } = texts;
  const labels = { year: t('console.taxReport.year'), quarter: t('console.taxReport.quarter') };
  const choices = [
    ['', t('console.taxReport.wholeYear')] as const,
    ...['1', '2', '3', '4'].map((number) => [number, t('console.taxReport.quarterNo', { number })] as const),
  ];
  return html`<form method="get" action="/console/reports/tax" class="card filters">
    ${complaints(texts, complaint, labels)}
    ${field(texts, { name: 'year', label: labels.year, value: year, inputmode: 'numeric', maxlength: 4, complaint, isRequired: true })}
    ${select(texts, { name: 'quarter', label: labels.quarter, value: quarter, choices, complaint, isRequired: true })}
    ${submit(t('console.reports.show'), { kind: 'other' })}
  </form>`;
}

function reportOf(visit: Visit, texts: Texts, found: Report): Html {
  const { t, date, calendarDay } = texts;
  const days = { from: calendarDay(found.from), to: calendarDay(found.to) };
  const { year, quarter } = chosen(found);
  const hasOss = quarter !== '' && found.collection.some(({ treatment }) => treatment === 'oss');
  const file = `/console/reports/tax/oss?${new URLSearchParams({ year, quarter }).toString()}`;
  return html`<section class="stack">
    <p class="quiet small">${t('console.taxReport.hint', days)}</p>
    ${asOfNote(texts, found)}
    ${found.lost_numbers.map(({ series, begun_at, first_lost_number: number }) => html`<p>${t('console.taxReport.lost', { date: date(begun_at), series, number })}</p>`)}
    ${table({
      title: t('console.taxReport.title'),
      columns: columnsOf(texts),
      rows: found.collection,
      empty: t('console.taxReport.none'),
    })}
    ${quarter !== '' && exchangeRates(texts, found.exchange_rates)}
    <p class="end"><a href="/console/reports/tax/unproved">${t('console.unproved.title')}</a></p>
    ${hasOss && mayDownload(visit) && html`<p class="end"><a class="button slim" href="${file}" download>${t('console.taxReport.oss')}</a></p>`}
  </section>`;
}

function columnsOf(texts: Texts): Column<Row>[] {
  const { t, money, number, percent, country: countryName, series } = texts;
  const amount = (title: string, read: (row: Row) => number): Column<Row> => ({
    title,
    cell: (row) => money(read(row), row.currency),
    isNumber: true,
  });
  return [
    { title: t('console.taxReport.treatment'), cell: ({ treatment }) => named(texts, 'taxTreatments', treatment) },
    {
      title: t('console.taxReport.place'),
      cell: ({ country, region }) => series([countryName(country), region]),
    },
    { title: t('console.taxReport.rate'), cell: ({ tax_rate }) => percent(tax_rate), isNumber: true },
    { title: t('console.taxReport.corrects'), cell: ({ corrected_quarter }) => corrected_quarter },
    { title: t('console.taxReport.documents'), cell: ({ documents }) => number(documents), isNumber: true },
    amount(t('console.invoices.net'), ({ net_amount }) => net_amount),
    amount(t('console.invoices.tax'), ({ tax_amount }) => tax_amount),
    amount(t('console.invoices.gross'), ({ gross_amount }) => gross_amount),
  ];
}

type Rate = Report['exchange_rates'][number];

/** The rates with which the return of the one stop shop is in euro, and a warning if one is missing. */
function exchangeRates(texts: Texts, rates: readonly Rate[]): Html {
  const { t, calendarDay } = texts;
  if (rates.length === 0) return html``;
  const missing = [...new Set(rates.filter(({ rate }) => rate === null).map(({ currency }) => currency))].join(', ');
  const valueOf = ({ rate, currency, problem }: Rate) =>
    rate === null ? named(texts, 'rateProblems', problem) : html`<bdi dir="ltr">1 EUR = ${rate} ${currency}</bdi>`;
  const columns: Column<Rate>[] = [
    { title: t('console.taxReport.currency'), cell: ({ currency }) => currency },
    { title: t('console.taxReport.quarter'), cell: ({ quarter }) => quarter },
    { title: t('console.taxReport.exchangeRate'), cell: valueOf },
    {
      title: t('console.taxReport.published'),
      cell: ({ published_on: day }) => (day === '' ? '' : calendarDay(day)),
    },
  ];
  return html`${missing !== '' && html`<p class="alert warn">${t('console.taxReport.noRates', { currencies: missing })}</p>`}
    <h2>${t('console.taxReport.exchangeRates')}</h2>
    <p class="quiet small">${t('console.taxReport.exchangeHint')}</p>
    ${table({ title: t('console.taxReport.exchangeRates'), columns, rows: rates, empty: '' })}`;
}
