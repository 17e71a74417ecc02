import { html, type Html } from '../../../kit/html';
import { type reportEndpoints } from '../../../reports/reports.endpoints';
import { waterfallChart } from '../../charts/waterfall';
import { type RowOf } from '../../layout/answers';
import { type Texts } from '../../layout/texts';
import { type Meanings } from './definitions';
import { type ReportQuery } from './range';

/** How the monthly recurring revenue came from the start of the range to its end. */

export const movements = [
  'new',
  'reactivation',
  'expansion',
  'contraction',
  'churn_voluntary',
  'churn_payment',
] as const;

export type MrrRow = RowOf<typeof reportEndpoints.getMrr>;

interface WaterfallInput {
  rows: readonly MrrRow[];
  /** The rows of the previous period. */
  before: readonly MrrRow[] | undefined;
  asked: ReportQuery;
  csv: string | undefined;
}

const dayMs = 86_400_000;

export function mrrWaterfall(texts: Texts, meanings: Meanings, { rows, before, asked, csv }: WaterfallInput): Html {
  const { t } = texts;
  const title = t('console.charts.waterfall');
  const earlier = before && before.length > 0 ? before : undefined;
  const dayBefore = new Date(Date.parse(asked.from) - dayMs).toISOString().slice(0, 10);
  const total = (name: 'opening' | 'closing', to: string) => ({
    name: t(`console.charts.${name}`),
    value: totalOf(rows, name),
    before: earlier && totalOf(earlier, name),
    address: meanings.rowsOf('mrr', { ...asked, to }),
    isTotal: true as const,
  });
  const steps = [
    total('opening', dayBefore),
    ...movements.map((kind) => ({
      name: t(`console.reports.${kind}`),
      value: sumOf(rows, kind),
      before: earlier && sumOf(earlier, kind),
      address: meanings.rowsOf(kind, asked),
    })),
    total('closing', asked.to),
  ];
  const isEmpty = steps.every(({ value, before: own = 0 }) => value === 0 && own === 0);
  const chart = waterfallChart({
    texts,
    title,
    steps,
    currency: asked.currency,
    csv,
    valueName: t('console.charts.step'),
  });
  return html`<section class="card stack">
    <h2>${title}</h2>
    ${meanings.explain(title, ['mrr', ...movements])}
    ${isEmpty ? html`<p class="quiet">${t('console.reports.nothing')}</p>` : chart}
  </section>`;
}

const totalOf = (rows: readonly MrrRow[], name: 'opening' | 'closing') =>
  (name === 'opening' ? rows[0]?.opening : rows.at(-1)?.closing) ?? 0;

const sumOf = (rows: readonly MrrRow[], kind: (typeof movements)[number]) =>
  rows.reduce((sum, row) => sum + row[kind], 0);
