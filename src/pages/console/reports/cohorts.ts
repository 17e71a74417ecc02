import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { type reportEndpoints } from '../../../reports/reports.endpoints';
import { type RowOf } from '../../layout/answers';
import { type Texts } from '../../layout/texts';
import { fileAddress } from '../lists';
import { type Meanings } from './definitions';

type Cohort = RowOf<typeof reportEndpoints.getCohorts>;

const monthsShown = 12;

interface CohortReport {
  /** The last day of the report, as `YYYY-MM-DD`. */
  to: string;
  currency: string;
  meanings: Meanings;
}

/** One row for each month of start, one column for each month since. A darker cell means a higher retention. */
export function cohortTable(visit: Visit, texts: Texts, cohorts: readonly Cohort[], report: CohortReport): Html {
  const { currency, meanings } = report;
  if (cohorts.length === 0) return html``;
  const { t, number } = texts;
  const width = Math.min(monthsShown, Math.max(...cohorts.map(({ months }) => months.length)));
  const heads = Array.from(
    { length: width },
    (_none, index) => html`<th scope="col" class="end">${number(index)}</th>`,
  );
  const title = t('console.reports.cohorts');
  const file = fileAddress(visit, { list: 'cohort-report', query: { currency } });
  return html`<section class="stack">
    <h2>${title}</h2>
    <p class="quiet small">${t('console.reports.cohortsHint')}</p>
    ${meanings.explain(title, ['retention', 'cohort_size'])}
    <div class="table-scroll" tabindex="0" role="region" aria-label="${title}">
      <table class="cohorts">
        <thead>
          <tr>
            <th scope="col">${t('console.reports.began')}</th>
            ${heads}
          </tr>
        </thead>
        <tbody>
          ${cohorts.map((cohort) => cohortRow(texts, cohort, report))}
        </tbody>
      </table>
    </div>
    <div class="row spread small">
      ${shades(texts)}
      ${file !== undefined && html`<a href="${file}">CSV<span class="visually-hidden">: ${title}</span></a>`}
    </div>
  </section>`;
}

/** What the colours mean. */
function shades({ t, locale }: Texts): Html {
  const percent = new Intl.NumberFormat(locale, { style: 'percent' });
  const cells = Array.from({ length: 11 }, (_none, share) => html`<span class="share-${share}"></span>`);
  return html`<div class="shades quiet" role="img" aria-label="${t('console.charts.shades')}">
    ${percent.format(0)}
    <div class="cells">${cells}</div>
    ${percent.format(1)}
  </div>`;
}

function cohortRow(texts: Texts, { cohort, size, months }: Cohort, { to, currency, meanings }: CohortReport): Html {
  const { locale, number } = texts;
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const name = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const endOf = (month: string) => (lastDayOf(month) < to ? lastDayOf(month) : to);
  const scope = (month: string) => ({ cohort, currency, from: `${cohort}-01`, to: endOf(month) });
  const cells = months.slice(0, monthsShown).map(({ month, subscriptions, retention }) =>
    retention === null
      ? html`<td></td>`
      : html`<td class="end amount share-${Math.round(retention * 10)}">
          <a href="${meanings.rowsOf('retention', scope(month))}" title="${number(subscriptions)}"
            >${percent.format(retention)}</a
          >
        </td>`,
  );
  return html`<tr>
    <th scope="row">
      ${name.format(new Date(`${cohort}-01`))}
      <a class="small" href="${meanings.rowsOf('cohort_size', scope(cohort))}">${number(size)}</a>
    </th>
    ${cells}
  </tr>`;
}

function lastDayOf(month: string): string {
  const first = new Date(`${month}-01`);
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).toISOString().slice(0, 10);
}
