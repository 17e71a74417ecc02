import { html, type Html } from '../../kit/html';
import { reportEndpoints } from '../../reports/reports.endpoints';
import { type RowOf } from '../layout/answers';
import { icon } from '../layout/icons';
import { type Texts } from '../layout/texts';
import { sparkline } from '../charts/sparkline';
import { type MerchantVisit } from './frame';
import { stat } from './lists';
import { everyPeriod } from './reports/charts';
import { previousDays } from './reports/comparison';
import { type Meanings } from './reports/definitions';
import { shareText } from './reports/figures';

/** The four figures of the last 30 days, with the change since the 30 days before. */

type Row = RowOf<typeof reportEndpoints.getSummary>;
export interface Month {
  from: string;
  to: string;
  collection: readonly Row[];
}

/** The daily rows of the last 30 days, which the charts of the overview show as well. */
export async function readDays(visit: MerchantVisit, range?: { from: string; to: string }) {
  const query = { interval: 'day', ...range };
  const mrr = await visit.call(reportEndpoints.getMrr, { query });
  const revenue = await visit.call(reportEndpoints.getRevenue, { query });
  return (currency: string) => {
    const days = mrr.collection.filter((row) => row.currency === currency);
    const paid = everyPeriod(
      days,
      revenue.collection.filter((row) => row.currency === currency),
    );
    return { days, paid };
  };
}
export type Days = Awaited<ReturnType<typeof readDays>>;

interface Shown {
  month: Month;
  days: Days;
  meanings: Meanings;
}

export async function keyFigures(visit: MerchantVisit, texts: Texts, { month, days, meanings }: Shown): Promise<Html> {
  const { t } = texts;
  const earlier = await visit.call(reportEndpoints.getSummary, { query: previousDays(month) });
  const counts = await visit.call(reportEndpoints.getSubscriptionReport, { query: { interval: 'day' } });
  const lists = month.collection.map((row) => {
    const before = earlier.collection.find(({ currency }) => currency === row.currency);
    const name = (text: string) => (month.collection.length > 1 ? `${text}, ${row.currency}` : text);
    const rows = meanings.rowsOf('mrr', { from: month.to, to: month.to, currency: row.currency });
    const own = days(row.currency);
    const gained = runningGains(
      own.days,
      counts.collection.filter(({ currency }) => currency === row.currency),
    );
    return html`<div class="key-figures">${tilesOf(texts, { row, before, name, rows, gained, ...own })}</div>`;
  });
  return html`<section class="stack" aria-label="${t('console.overview.figures')}">
    <p class="quiet">${t('console.overview.compared')}</p>
    ${lists}
  </section>`;
}

type Gain = Pick<RowOf<typeof reportEndpoints.getSubscriptionReport>, 'new' | 'churned'>;

/** The new and the ended subscriptions from the first day to each day. A day without either has no row. */
function runningGains(days: readonly { period: string }[], rows: readonly (Gain & { period: string })[]): Gain[] {
  const sum = { new: 0, churned: 0 };
  return days.map(({ period }) => {
    const row = rows.find((each) => each.period === period);
    sum.new += row?.new ?? 0;
    sum.churned += row?.churned ?? 0;
    return { ...sum };
  });
}

interface Tiles extends ReturnType<Days> {
  row: Row;
  before: Row | undefined;
  name: (text: string) => string;
  rows: string | undefined;
  gained: readonly Gain[];
}

function tilesOf(texts: Texts, { row, before, name, rows, gained, days, paid }: Tiles): Html {
  const { t } = texts;
  const money = (amount: number) => texts.money(amount, row.currency);
  const link = (text: string, address = '/console/reports') => html`<a href="${address}">${name(text)}</a>`;
  const came = row.new - row.churned;
  const cameBefore = (before?.new ?? 0) - (before?.churned ?? 0);
  return html`${stat(
    link(t('console.reports.mrr'), rows),
    money(row.mrr),
    html`${change(texts, row.mrr, before?.mrr ?? 0, money)} ${sparkline(days.map(({ closing }) => closing))}`,
  )}
  ${stat(
    link(t('console.reports.net_revenue')),
    money(row.net_revenue),
    html`${change(texts, row.net_revenue, before?.net_revenue ?? 0, money)}
    ${sparkline(paid.map(({ revenue }) => revenue))}`,
  )}
  ${stat(
    link(t('console.overview.netNew')),
    signed(texts, came),
    html`${trend(
      came - cameBefore,
      signed(texts, came - cameBefore),
      t('console.overview.versus', { value: signed(texts, cameBefore) }),
    )}
    ${sparkline(gained.map((each) => each.new - each.churned))}`,
  )}
  ${stat(
    link(t('console.reports.churn_rate')),
    shareText(texts, row.churn_rate),
    row.churn_rate === null
      ? undefined
      : html`${churnChange(texts, row, before)} ${sparkline(gained.map(({ churned }) => churned))}`,
  )}`;
}

/** More churn is worse. There is no comparison for a period without subscriptions. */
function churnChange(texts: Texts, { churn_rate: now }: Row, before: Row | undefined): Html | undefined {
  const earlier = before?.churn_rate ?? null;
  if (now === null || earlier === null) return undefined;
  const text = signed(texts, now - earlier, { style: 'percent', maximumFractionDigits: 1 });
  return trend(earlier - now, text, texts.t('console.overview.versus', { value: shareText(texts, earlier) }));
}

/** The change in percent, or in the unit of the figure where there was nothing before. */
function change(texts: Texts, now: number, before: number, format: (value: number) => string): Html {
  const text =
    before > 0
      ? signed(texts, now / before - 1, { style: 'percent', maximumFractionDigits: 1 })
      : `${now > before ? '+' : ''}${format(now - before)}`;
  return trend(now - before, text, texts.t('console.overview.versus', { value: format(before) }));
}

/** `good` above 0 is a change for the better. The sign says it without colour. */
export function trend(good: number, text: string, beside: string): Html {
  const kind = good > 0 ? 'better' : good < 0 ? 'worse' : '';
  const sign = kind === '' ? '' : icon(text.startsWith('-') || text.startsWith('−') ? 'down' : 'up');
  return html`<span class="trend ${kind}">${sign}<bdi>${text}</bdi></span> <span>${beside}</span>`;
}

const signed = ({ locale }: Texts, value: number, options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat(locale, { ...options, signDisplay: 'exceptZero' }).format(value);
