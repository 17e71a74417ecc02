import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/reports.endpoints';
import { barChart, type ChartNote, lineChart, periodLabel } from '../../charts/charts';
import { type Texts } from '../../layout/texts';
import { type CsvFile, fileAddress } from '../lists';
import { previousQuery } from './comparison';
import { type Meanings } from './definitions';
import { priceNotes } from './notes';
import { type ReportQuery, type RangeVisit } from './range';
import { movements, type MrrRow, mrrWaterfall } from './waterfall';

export async function chartsOf(visit: RangeVisit, texts: Texts, asked: ReportQuery, meanings: Meanings): Promise<Html> {
  const earlier = visit.query.compare === 'previous' ? previousQuery(asked) : undefined;
  const now = await readRows(visit, asked);
  const before = earlier && (await readRows(visit, earlier));
  const periods = now.mrr.map(({ period }) => period);
  const notes = await priceNotes(visit, texts, periods, asked);
  const moved = Object.fromEntries(movements.map((kind) => [kind, (row: MrrRow) => row[kind]]));
  const fileOf = (list: CsvFile['list']) => fileAddress(visit, { list, query: { ...asked } });
  const chart = chartIn(texts, asked, { meanings, fileOf });
  return html`<div class="charts">
    ${chart('mrr', lineChart, [now.mrr, before?.mrr], { mrr: (row) => row.closing }, { csv: 'mrr-report', notes })}
    ${mrrWaterfall(texts, meanings, { rows: now.mrr, before: before?.mrr, asked, csv: fileOf('mrr-report') })}
    ${chart('movements', barChart, [now.mrr, undefined], moved, { csv: 'mrr-report' })}
    ${chart(
      'revenue',
      barChart,
      [now.revenue, before?.revenue],
      { revenue: (row) => row.revenue, refunds: (row) => row.refunds, chargebacks: (row) => row.chargebacks },
      { csv: 'revenue-report', notes },
    )}
    ${chart(
      'subscriptions',
      barChart,
      [now.subscriptions, before?.subscriptions],
      { new_subscriptions: (row) => row.new, renewed: (row) => row.renewed, churned: (row) => row.churned },
      { csv: 'subscription-report', isCount: true },
    )}
    ${chart(
      'trials',
      barChart,
      [now.trials, before?.trials],
      { trial_started: (row) => row.started, trial_converted: (row) => row.converted, trial_lost: (row) => row.lost },
      { csv: 'trial-report', isCount: true },
    )}
    ${chart(
      'dunning',
      barChart,
      [now.dunning, before?.dunning],
      {
        dunning_failed: (row) => row.failed.amount,
        dunning_recovered: (row) => row.recovered.amount,
        dunning_lost: (row) => row.lost.amount,
      },
      { csv: 'dunning-report' },
    )}
  </div>`;
}

/** The rows of each chart. */
async function readRows(visit: RangeVisit, asked: ReportQuery) {
  const query = { ...asked };
  const [mrr, revenue, subscriptions, trials, dunning] = await Promise.all([
    visit.call(reportEndpoints.getMrr, { query }),
    visit.call(reportEndpoints.getRevenue, { query }),
    visit.call(reportEndpoints.getSubscriptionReport, { query }),
    visit.call(reportEndpoints.getTrialReport, { query }),
    visit.call(reportEndpoints.getDunningReport, { query }),
  ]);
  return {
    mrr: mrr.collection,
    revenue: everyPeriod(mrr.collection, revenue.collection),
    subscriptions: subscriptions.collection,
    trials: trials.collection,
    dunning: dunning.collection,
  };
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

function wholeOf(name: string, values: readonly number[]): number {
  return standing.includes(name) ? (values.at(-1) ?? 0) : values.reduce((sum, next) => sum + next, 0);
}

interface ChartParts {
  /** The list of the CSV file. */
  csv: CsvFile['list'];
  notes?: ChartNote[];
  isCount?: true;
}

interface ChartTools {
  meanings: Meanings;
  /** The address of a list's file, if the visitor may download it. */
  fileOf: (list: CsvFile['list']) => string | undefined;
}

function chartIn(texts: Texts, asked: ReportQuery, { meanings, fileOf }: ChartTools) {
  const { t } = texts;
  const nameOf = (name: string) => t(`console.reports.${name as 'new'}`);
  return <Row extends { period: string }>(
    name: string,
    draw: typeof barChart,
    [rows, earlier]: readonly [readonly Row[], readonly Row[] | undefined],
    of: Record<string, (row: Row) => number>,
    { csv, notes, isCount }: ChartParts,
  ): Html => {
    const title = nameOf(name);
    const isCompared = earlier !== undefined && earlier.length > 0;
    const series = Object.entries(of).map(([each, value]) => {
      const values = rows.map(value);
      const before = isCompared ? earlier.map(value) : undefined;
      const address = (index: number) => meanings.rowsOf(each, periodOf(rows[index]?.period ?? asked.from, asked));
      return {
        name: nameOf(each),
        values,
        before,
        total: wholeOf(each, values),
        totalBefore: before && wholeOf(each, before),
        totalAddress: meanings.rowsOf(each, asked),
        address,
      };
    });
    const labels = rows.map(({ period }) => periodLabel(texts.locale, period, asked.interval));
    const isEmpty = series.every(({ values, before = [] }) => [...values, ...before].every((value) => value === 0));
    const currency = isCount ? undefined : asked.currency;
    return html`<section class="card stack">
      <h2>${title}</h2>
      ${meanings.explain(title, Object.keys(of))}
      ${
        isEmpty
          ? html`<p class="quiet">${t('console.reports.nothing')}</p>`
          : draw({ texts, title, labels, series, currency, notes: notes ?? [], csv: fileOf(csv) })
      }
      ${earlier && !isCompared && !isEmpty && html`<p class="quiet small">${t('console.charts.noBefore')}</p>`}
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
