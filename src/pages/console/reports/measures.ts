import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/reports.endpoints';
import { type AnswerOf } from '../../layout/answers';
import { type Texts } from '../../layout/texts';
import { table } from '../lists';
import { type Meanings } from './definitions';
import { type RangeVisit, type ReportQuery } from './range';

type Measure = AnswerOf<typeof reportEndpoints.getDunningReport>['measures'][number];

/** The amounts that each measure against failed payments recovered in the range. */
export async function measuresOf(
  visit: RangeVisit,
  texts: Texts,
  asked: ReportQuery,
  meanings: Meanings,
): Promise<Html> {
  const { t, money, number } = texts;
  const { measures } = await visit.call(reportEndpoints.getDunningReport, { query: { ...asked } });
  const list = table<Measure>({
    title: t('console.reports.measures'),
    rows: measures,
    empty: t('console.reports.noMeasures'),
    columns: [
      { title: t('console.reports.measure'), cell: ({ measure }) => t(`console.reports.measureNames.${measure}`) },
      { title: t('console.reports.recoveries'), cell: ({ count }) => number(count), isNumber: true },
      { title: t('console.fields.amount'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
    ],
  });
  return html`<section class="card stack">
    <h2>${t('console.reports.measures')}</h2>
    ${meanings.explain(t('console.reports.measures'), ['dunning_recovered'])} ${list}
  </section>`;
}
