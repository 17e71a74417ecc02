import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/reports.endpoints';
import { barChart, lineChart, periodLabel } from '../../charts';
import { type Texts } from '../../layout/texts';
import { type Meanings } from './definitions';
import { type ReportQuery, type RangeVisit } from './range';

const movements = ['new', 'reactivation', 'expansion', 'contraction', 'churn_voluntary', 'churn_payment'] as const;

export async function chartsOf(visit: RangeVisit, texts: Texts, asked: ReportQuery, meanings: Meanings): Promise<Html> {
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
  const chart = chartIn(texts, asked, meanings);
  return html`<div class="charts">
    ${chart('mrr', lineChart, mrr.collection, money, { mrr: (row) => row.closing })}
    ${chart('movements', barChart, mrr.collection, money, moved)}
    ${chart('revenue', barChart, everyPeriod(mrr.collection, revenue.collection), money, {
      revenue: (row) => row.revenue,
      refunds: (row) => row.refunds,
      chargebacks: (row) => row.chargebacks,
    })}
    ${chart('subscriptions', barChart, subscriptions.collection, texts.number, {
      new_subscriptions: (row) => row.new,
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

interface PaidFigures {
  period: string;
  revenue: number;
  refunds: number;
  chargebacks: number;
}

/** Revenue has rows only for periods with payments. The chart needs all periods. */
export function everyPeriod(periods: readonly { period: string }[], rows: readonly PaidFigures[]): PaidFigures[] {
  const known = new Map(rows.map((row) => [row.period, row]));
  return periods.map(({ period }) => known.get(period) ?? { period, revenue: 0, refunds: 0, chargebacks: 0 });
}

/** Figures that are measured at the end of a period. All other figures are sums. */
const standing = ['mrr'];

function chartIn(texts: Texts, asked: ReportQuery, meanings: Meanings) {
  const { t } = texts;
  const nameOf = (name: string) => t(`console.reports.${name as 'new'}`);
  return <Row extends { period: string }>(
    name: string,
    draw: typeof barChart,
    rows: readonly Row[],
    format: (value: number) => string,
    of: Record<string, (row: Row) => number>,
  ): Html => {
    const title = nameOf(name);
    const series = Object.entries(of).map(([each, value]) => {
      const values = rows.map(value);
      const whole = standing.includes(each) ? (values.at(-1) ?? 0) : values.reduce((sum, next) => sum + next, 0);
      const address = (index: number) => meanings.rowsOf(each, periodOf(rows[index]?.period ?? asked.from, asked));
      return { name: nameOf(each), values, total: whole, totalAddress: meanings.rowsOf(each, asked), address };
    });
    const labels = rows.map(({ period }) => periodLabel(texts.locale, period, asked.interval));
    const isEmpty = series.every(({ values }) => values.every((value) => value === 0));
    const isCount = format === texts.number;
    return html`<section class="card stack">
      <h2>${title}</h2>
      ${meanings.explain(title, Object.keys(of))}
      ${
        isEmpty
          ? html`<p class="quiet">${t('console.reports.nothing')}</p>`
          : draw({ title, labels, series, format, isCount, tableTitle: t('console.reports.numbers') })
      }
    </section>`;
  };
}

const dayMs = 86_400_000;

/** The days of an interval that are within the range of the report. */
function periodOf(first: string, asked: ReportQuery): ReportQuery {
  const at = new Date(first);
  const next = {
    day: at.getTime() + dayMs,
    week: at.getTime() + 7 * dayMs,
    month: Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1),
  }[asked.interval as 'day'];
  const last = new Date(next - dayMs).toISOString().slice(0, 10);
  return { ...asked, from: first < asked.from ? asked.from : first, to: last > asked.to ? asked.to : last };
}
