import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/endpoints';
import { barChart, lineChart, periodLabel } from '../../charts/charts';
import { type Texts } from '../../layout/texts';
import { type Asked, type RangeVisit } from './range';

const movements = ['new', 'reactivation', 'expansion', 'contraction', 'churn_voluntary', 'churn_payment'] as const;

export async function chartsOf(visit: RangeVisit, texts: Texts, asked: Asked): Promise<Html> {
  const query = { ...asked };
  const [mrr, revenue, subscriptions, trials, dunning] = await Promise.all([
    visit.call(reportEndpoints.getMrr, { query }),
    visit.call(reportEndpoints.getRevenue, { query }),
    visit.call(reportEndpoints.getSubscriptionReport, { query }),
    visit.call(reportEndpoints.getTrialReport, { query }),
    visit.call(reportEndpoints.getDunningReport, { query }),
  ]);
  const money = (amount: number) => texts.money(amount, asked.currency);
  const moved = Object.fromEntries(
    movements.map((kind) => [kind, (row: (typeof mrr.collection)[number]) => row[kind]]),
  );
  const chart = chartIn(texts, asked.interval);
  return html`<div class="charts">
    ${chart('mrr', lineChart, mrr.collection, money, { mrr: (row) => row.closing })}
    ${chart('movements', barChart, mrr.collection, money, moved)}
    ${chart('revenue', barChart, everyPeriod(mrr.collection, revenue.collection), money, {
      revenue: (row) => row.revenue,
      refunds: (row) => row.refunds,
    })}
    ${chart('subscriptions', barChart, subscriptions.collection, texts.number, {
      new: (row) => row.new,
      renewed: (row) => row.renewed,
      churned: (row) => row.churned,
    })}
    ${chart('trials', barChart, trials.collection, texts.number, {
      trial_started: (row) => row.started,
      trial_converted: (row) => row.converted,
      trial_lost: (row) => row.lost,
    })}
    ${chart('dunning', barChart, dunning.collection, money, {
      dunning_failed: (row) => row.failed.amount,
      dunning_recovered: (row) => row.recovered.amount,
      dunning_lost: (row) => row.lost.amount,
    })}
  </div>`;
}

/** Revenue has rows for the periods with payments only; a chart has a place for each. */
export function everyPeriod<Row extends { period: string; revenue: number; refunds: number }>(
  periods: readonly { period: string }[],
  rows: readonly Row[],
): Pick<Row, 'period' | 'revenue' | 'refunds'>[] {
  const known = new Map(rows.map((row) => [row.period, row]));
  return periods.map(({ period }) => known.get(period) ?? { period, revenue: 0, refunds: 0 });
}

function chartIn(texts: Texts, interval: string) {
  const { t } = texts;
  const nameOf = (name: string) => t(`console.reports.${name as 'new'}`);
  return <Row extends { period: string }>(
    name: string,
    draw: typeof barChart,
    rows: readonly Row[],
    format: (value: number) => string,
    of: Record<string, (row: Row) => number>,
  ): Html => {
    const series = Object.entries(of).map(([each, value]) => ({ name: nameOf(each), values: rows.map(value) }));
    const labels = rows.map(({ period }) => periodLabel(texts.locale, period, interval));
    const isEmpty = series.every(({ values }) => values.every((value) => value === 0));
    const isCount = format === texts.number;
    return html`<section class="card stack">
      <h2>${nameOf(name)}</h2>
      ${
        isEmpty
          ? html`<p class="quiet">${t('console.reports.nothing')}</p>`
          : draw({ title: nameOf(name), labels, series, format, isCount, tableTitle: t('console.reports.numbers') })
      }
    </section>`;
  };
}
