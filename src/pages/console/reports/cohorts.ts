import { html, type Html } from '../../../kit/html';
import { type Texts } from '../../layout/texts';
import { type Meanings } from './definitions';

interface Cohort {
  cohort: string;
  size: number;
  months: readonly { month: string; subscriptions: number; retention: number | null }[];
}

const monthsShown = 12;

/** One row a month of start, one column a month since: the darker, the more of them are left. */
export function cohortTable(texts: Texts, cohorts: readonly Cohort[], currency: string, meanings: Meanings): Html {
  if (cohorts.length === 0) return html``;
  const { t, locale, number } = texts;
  const width = Math.min(monthsShown, Math.max(...cohorts.map(({ months }) => months.length)));
  const heads = Array.from(
    { length: width },
    (_none, index) => html`<th scope="col" class="end">${number(index)}</th>`,
  );
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const name = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const rows = cohorts.map(({ cohort, size, months }) => {
    const scope = (month: string) => ({ cohort, currency, from: `${cohort}-01`, to: lastDayOf(month) });
    const cells = months.slice(0, width).map(({ month, subscriptions, retention }) =>
      retention === null
        ? html`<td></td>`
        : html`<td class="end amount share-${Math.round(retention * 4)}">
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
  });
  const title = t('console.reports.cohorts');
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
          ${rows}
        </tbody>
      </table>
    </div>
  </section>`;
}

function lastDayOf(month: string): string {
  const first = new Date(`${month}-01`);
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).toISOString().slice(0, 10);
}
