import { html, type Html } from '../../../kit/html';
import { type Texts } from '../../layout/texts';

interface Cohort {
  cohort: string;
  size: number;
  months: readonly { retention: number | null }[];
}

const monthsShown = 12;

/** One row a month of start, one column a month since: the darker, the more of them are left. */
export function cohortTable({ t, locale, number }: Texts, cohorts: readonly Cohort[]): Html {
  if (cohorts.length === 0) return html``;
  const width = Math.min(monthsShown, Math.max(...cohorts.map(({ months }) => months.length)));
  const heads = Array.from(
    { length: width },
    (_none, index) => html`<th scope="col" class="end">${number(index)}</th>`,
  );
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const name = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const rows = cohorts.map(({ cohort, size, months }) => {
    const cells = months
      .slice(0, width)
      .map(({ retention }) =>
        retention === null
          ? html`<td></td>`
          : html`<td class="end amount share-${Math.round(retention * 4)}">${percent.format(retention)}</td>`,
      );
    return html`<tr>
      <th scope="row">${name.format(new Date(`${cohort}-01`))} <span class="quiet small">${number(size)}</span></th>
      ${cells}
    </tr>`;
  });
  return html`<section class="stack">
    <h2>${t('console.reports.cohorts')}</h2>
    <p class="quiet small">${t('console.reports.cohortsHint')}</p>
    <div class="table-scroll" tabindex="0" role="region" aria-label="${t('console.reports.cohorts')}">
      <table>
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
