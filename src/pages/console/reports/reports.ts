import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page } from '../../../kit/pages/page';
import { reportEndpoints } from '../../../reports/reports.endpoints';
import { attempt } from '../../layout/explain';
import { type Texts, textsFor } from '../../layout/texts';
import { inConsole, showInConsole } from '../frame';
import { given } from '../lists';
import { asOfNote } from './asOf';
import { chartsOf } from './charts';
import { cohortTable } from './cohorts';
import { type Meanings, readMeanings } from './definitions';
import { tilesOf } from './figures';
import { groupOf } from './groups';
import { measuresOf } from './measures';
import { emptyCard } from '../../layout/lists';
import { intervalFor, Range, rangeForm, type RangeVisit } from './range';

export const reportPages = {
  showReports: page({
    ...inConsole,
    auth: merchant('reports:read'),
    method: 'get',
    path: '/console/reports',
    summary: 'The key figures with charts and definitions',
    query: Range,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const outcome = await attempt(texts, () => reportsOf(visit, texts));
      const link = (feature: string, address: string, text: string) =>
        visit.isOff(feature) ? '' : html`<a class="button slim" href="${address}">${text}</a>`;
      const liabilities = html`<a class="button slim" href="/console/reports/liabilities"
        >${texts.t('console.liabilities.title')}</a
      >`;
      const tax = html`<a class="button slim" href="/console/reports/tax">${texts.t('console.taxReport.title')}</a>`;
      const books = html`<a class="button slim" href="/console/reports/books">${texts.t('console.books.title')}</a>`;
      const actions = html`${liabilities} ${tax} ${books}
      ${link('analytics', '/console/reports/audience', texts.t('console.audience.title'))}
      ${link('scheduled_reports', '/console/reports/schedules', texts.t('console.schedules.title'))}`;
      const place = { section: 'reports', title: texts.t('console.sections.reports'), actions } as const;
      if ('refused' in outcome)
        return showInConsole(visit, place, rangeForm(visit, texts, [], outcome.refused), { status: 422 });
      return showInConsole(visit, place, outcome.done);
    },
  }),
};

async function reportsOf(visit: RangeVisit, texts: Texts): Promise<Html> {
  const { from, to, currency } = visit.query;
  const summary = await visit.call(reportEndpoints.getSummary, { query: given({ from, to }) });
  const currencies = summary.collection.map((row) => row.currency);
  const chosen = currency ?? currencies[0];
  const row = summary.collection.find((each) => each.currency === chosen);
  const range = { from: summary.from, to: summary.to };
  const interval = visit.query.interval ?? intervalFor(range);
  const query = { ...visit.query, ...range, currency: chosen, interval };
  const form = rangeForm({ ...visit, query }, texts, currencies);
  if (chosen === undefined || row === undefined)
    return html`${form} ${emptyCard(texts.t('console.reports.none'), 'reports')}`;
  const asked = { ...range, currency: chosen, interval };
  const meanings = await readMeanings(visit, texts);
  const charts = await chartsOf(visit, texts, asked, meanings);
  return html`${form} ${asOfNote(texts, summary)} ${tilesOf(texts, row, asked, meanings)} ${charts}
  ${await measuresOf(visit, texts, asked, meanings)} ${await groupOf(visit, texts, asked, meanings)}
  ${await cohortsOf(visit, texts, chosen, meanings)}`;
}

async function cohortsOf(visit: RangeVisit, texts: Texts, currency: string, meanings: Meanings): Promise<Html> {
  const { to, collection } = await visit.call(reportEndpoints.getCohorts, { query: { currency } });
  return cohortTable(visit, texts, collection, { to, currency, meanings });
}
