import { z } from 'zod';
import { type Caller, merchant } from '../../kit/auth';
import { html, type Html, type Written } from '../../kit/html';
import { page, type Visit } from '../../kit/pages/page';
import { reportEndpoints } from '../../reports/endpoints';
import { barChart, lineChart } from '../charts/charts';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, select, submit } from '../layout/forms';
import { type Texts, textsFor } from '../layout/texts';
import { cohortTable } from './cohorts';
import { inConsole, listQuery, showInConsole } from './frame';
import { stat, table, withParameters } from './lists';
import { given } from './transactions';

const intervals = ['day', 'week', 'month'] as const;
const groups = ['item', 'fee', 'country', 'payment_method', 'voucher', 'kind'] as const;
const Range = z.object({
  ...listQuery,
  from: z.string().optional(),
  to: z.string().optional(),
  currency: z.string().optional(),
  interval: z.string().optional(),
  group_by: z.string().optional(),
});
type RangeVisit = Visit & { caller: Caller; query: z.output<typeof Range> };

export const reportPages = {
  showReports: page({
    ...inConsole,
    auth: merchant('reports:read'),
    method: 'get',
    path: '/console/reports',
    summary: 'The numbers, with their charts and what they mean',
    query: Range,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const tried = await attempt(texts, () => reportsOf(visit, texts));
      const place = { section: 'reports', title: texts.t('console.sections.reports') } as const;
      if ('refused' in tried)
        return showInConsole(visit, place, rangeForm(visit, texts, [], tried.refused), { status: 422 });
      return showInConsole(visit, place, tried.done);
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
  const form = rangeForm({ ...visit, query: { ...visit.query, ...range, currency: chosen } }, texts, currencies);
  if (chosen === undefined || row === undefined)
    return html`${form}
      <div class="card empty">${texts.t('console.reports.none')}</div>`;
  const asked = { ...range, currency: chosen, interval: visit.query.interval ?? 'day' };
  const charts = await chartsOf(visit, texts, asked);
  return html`${form} ${tilesOf(texts, row, asked)} ${charts} ${await groupOf(visit, texts, asked)}
  ${await cohortsOf(visit, texts, chosen)} ${await definitionsOf(visit, texts, asked)}`;
}

function rangeForm(visit: RangeVisit, texts: Texts, currencies: readonly string[], complaint?: Complaint): Html {
  const { t } = texts;
  const { query } = visit;
  const known = (name: 'from' | 'to') => ({
    name,
    value: query[name],
    complaint,
    isRequired: true,
    type: 'date' as const,
  });
  return html`<form method="get" action="/console/reports" class="card filters">
    ${complaints(texts, complaint, ['from', 'to'])}
    ${field(texts, { ...known('from'), label: t('console.fields.from') })}
    ${field(texts, { ...known('to'), label: t('console.fields.to') })}
    ${select(texts, {
      name: 'interval',
      value: query.interval,
      label: t('console.reports.by'),
      choices: intervals.map((name) => [name, t(`console.reports.intervals.${name}`)] as const),
      isRequired: true,
    })}
    ${
      currencies.length > 1
        ? select(texts, {
            name: 'currency',
            value: query.currency,
            label: t('console.fields.currency'),
            choices: currencies.map((code) => [code, code] as const),
            isRequired: true,
          })
        : ''
    }
    ${submit(t('console.reports.show'), { kind: 'other' })}
  </form>`;
}

interface Asked {
  from: string;
  to: string;
  currency: string;
  interval: string;
}

interface SummaryRow {
  mrr: number;
  arr: number;
  active_subscriptions: number;
  trialing: number;
  past_due: number;
  new: number;
  churned: number;
  churn_rate: number | null;
  trial_conversion_rate: number | null;
  revenue: number;
  refunds: number;
  net_revenue: number;
  arpu: number | null;
  ltv: number | null;
  customers: number;
}

/** The way to the rows that a number is a sum of. */
function rowsAddress(list: string, { from, to, currency }: Asked, more: Record<string, string> = {}): string {
  return withParameters(`/console/reports/${list}`, { from, to, currency, ...more });
}

function tilesOf(texts: Texts, row: SummaryRow, asked: Asked): Html {
  const { t, number } = texts;
  const money = (amount: number | null) => (amount === null ? '–' : texts.money(amount, asked.currency));
  const share = (part: number | null) => shareText(texts, part);
  const upTo = { ...asked, from: '' };
  const link = (name: keyof SummaryRow, address: string) =>
    html`<a href="${address}">${t(`console.reports.${name}`)}</a>`;
  const state = (name: 'trialing' | 'past_due', at: string) =>
    link(name, rowsAddress('transitions', upTo, { state: at }));
  const churn = { kind: 'churn_voluntary,churn_payment' };
  const tiles: [Written, string][] = [
    [link('mrr', rowsAddress('movements', upTo)), money(row.mrr)],
    [link('arr', rowsAddress('movements', upTo)), money(row.arr)],
    [link('revenue', rowsAddress('transactions', asked, { type: 'charge' })), money(row.revenue)],
    [link('refunds', rowsAddress('transactions', asked, { type: 'refund' })), money(row.refunds)],
    [link('net_revenue', rowsAddress('transactions', asked)), money(row.net_revenue)],
    [
      link('active_subscriptions', rowsAddress('transitions', upTo, { state: 'active' })),
      number(row.active_subscriptions),
    ],
    [link('new', rowsAddress('movements', asked, { kind: 'new' })), number(row.new)],
    [link('churned', rowsAddress('movements', asked, churn)), number(row.churned)],
    [link('churn_rate', rowsAddress('movements', asked, churn)), share(row.churn_rate)],
    [state('trialing', 'trialing'), number(row.trialing)],
    [
      link('trial_conversion_rate', rowsAddress('transitions', asked, { what: 'trial_converted' })),
      share(row.trial_conversion_rate),
    ],
    [state('past_due', 'past_due'), number(row.past_due)],
    [link('customers', rowsAddress('movements', upTo)), number(row.customers)],
    [link('arpu', rowsAddress('movements', upTo)), money(row.arpu)],
    [link('ltv', rowsAddress('movements', upTo)), money(row.ltv)],
  ];
  return html`<div class="grid">${tiles.map(([name, value]) => stat(name, value))}</div>`;
}

export function shareText({ language }: Texts, part: number | null): string {
  if (part === null) return '–';
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(part);
}

async function chartsOf(visit: RangeVisit, texts: Texts, asked: Asked): Promise<Html> {
  const { t, number } = texts;
  const query = { ...asked };
  const [mrr, revenue, subscriptions, trials, dunning] = await Promise.all([
    visit.call(reportEndpoints.getMrr, { query }),
    visit.call(reportEndpoints.getRevenue, { query }),
    visit.call(reportEndpoints.getSubscriptionReport, { query }),
    visit.call(reportEndpoints.getTrialReport, { query }),
    visit.call(reportEndpoints.getDunningReport, { query }),
  ]);
  const money = (amount: number) => texts.money(amount, asked.currency);
  const drawing = <Row extends { period: string }>(rows: readonly Row[], format: (value: number) => string) => ({
    labels: rows.map(({ period }) => periodLabel(texts, period, asked.interval)),
    format,
    tableTitle: t('console.reports.numbers'),
  });
  const series = <Row>(rows: readonly Row[], names: Record<string, (row: Row) => number>) =>
    Object.entries(names).map(([name, of]) => ({
      name: t(`console.reports.${name as 'new'}`),
      values: rows.map(of),
    }));
  const kinds = ['new', 'reactivation', 'expansion', 'contraction', 'churn_voluntary', 'churn_payment'] as const;
  const moved = Object.fromEntries(kinds.map((kind) => [kind, (row: (typeof mrr.collection)[number]) => row[kind]]));
  const charts: [string, Html][] = [
    [
      t('console.reports.mrr'),
      lineChart({
        title: t('console.reports.mrr'),
        ...drawing(mrr.collection, money),
        series: series(mrr.collection, { mrr: (row) => row.closing }),
      }),
    ],
    [
      t('console.reports.movements'),
      barChart({
        title: t('console.reports.movements'),
        ...drawing(mrr.collection, money),
        series: series(mrr.collection, moved),
      }),
    ],
    [
      t('console.reports.revenue'),
      barChart({
        title: t('console.reports.revenue'),
        ...drawing(revenue.collection, money),
        series: series(revenue.collection, { revenue: (row) => row.revenue, refunds: (row) => row.refunds }),
      }),
    ],
    [
      t('console.reports.subscriptions'),
      barChart({
        title: t('console.reports.subscriptions'),
        ...drawing(subscriptions.collection, number),
        series: series(subscriptions.collection, {
          new: (row) => row.new,
          renewed: (row) => row.renewed,
          churned: (row) => row.churned,
        }),
      }),
    ],
    [
      t('console.reports.trials'),
      barChart({
        title: t('console.reports.trials'),
        ...drawing(trials.collection, number),
        series: series(trials.collection, {
          trial_started: (row) => row.started,
          trial_converted: (row) => row.converted,
          trial_lost: (row) => row.lost,
        }),
      }),
    ],
    [
      t('console.reports.dunning'),
      barChart({
        title: t('console.reports.dunning'),
        ...drawing(dunning.collection, money),
        series: series(dunning.collection, {
          dunning_failed: (row) => row.failed.amount,
          dunning_recovered: (row) => row.recovered.amount,
          dunning_lost: (row) => row.lost.amount,
        }),
      }),
    ],
  ];
  return html`<div class="charts">
    ${charts.map(
      ([title, chart]) =>
        html`<section class="card stack">
          <h2>${title}</h2>
          ${chart}
        </section>`,
    )}
  </div>`;
}

/** A day as `3 Nov`, a month as `Nov 2026`. */
function periodLabel({ language }: Texts, period: string, interval: string): string {
  const parts =
    interval === 'month'
      ? ({ month: 'short', year: 'numeric' } as const)
      : ({ day: 'numeric', month: 'short' } as const);
  return new Intl.DateTimeFormat(language, { ...parts, timeZone: 'UTC' }).format(new Date(period));
}

async function groupOf(visit: RangeVisit, texts: Texts, asked: Asked): Promise<Html> {
  const { t } = texts;
  const group = groups.find((name) => name === visit.query.group_by) ?? 'item';
  // Months add up what days would list one by one.
  const { collection } = await visit.call(reportEndpoints.getRevenue, {
    query: { ...asked, interval: 'month', group_by: group },
  });
  const sums = new Map<string, { label: string; payments: number; net: number }>();
  for (const { key, label, payments, net_revenue: net } of collection) {
    const before = sums.get(key) ?? { label, payments: 0, net: 0 };
    sums.set(key, { label, payments: before.payments + payments, net: before.net + net });
  }
  const links = groups.map((name) => {
    const isCurrent = name === group ? html`aria-current="page"` : '';
    const address = withParameters(visit.address, { group_by: name });
    return html`<li><a href="${address}" ${isCurrent}>${t(`console.reports.groups.${name}`)}</a></li>`;
  });
  return html`<section class="stack">
    <h2>${t('console.reports.revenueBy')}</h2>
    <ul class="tabs">
      ${links}
    </ul>
    ${table({
      title: t('console.reports.revenueBy'),
      rows: [...sums.values()].sort((one, other) => other.net - one.net),
      empty: t('console.transactions.none'),
      columns: [
        {
          title: t(`console.reports.groups.${group}`),
          cell: ({ label }) => (label === '' ? t('console.none') : label),
        },
        { title: t('console.reports.payments'), cell: ({ payments }) => texts.number(payments), isNumber: true },
        {
          title: t('console.reports.net_revenue'),
          cell: ({ net }) => texts.money(net, asked.currency),
          isNumber: true,
        },
      ],
    })}
  </section>`;
}

async function cohortsOf(visit: RangeVisit, texts: Texts, currency: string): Promise<Html> {
  const { collection } = await visit.call(reportEndpoints.getCohorts, { query: { currency } });
  return cohortTable(texts, collection);
}

/** What each number means, and the rows behind it. */
async function definitionsOf(visit: RangeVisit, texts: Texts, asked: Asked): Promise<Html> {
  const { t } = texts;
  const { collection } = await visit.call(reportEndpoints.listDefinitions);
  const entries = collection.map(({ title, definition, rows }) => {
    const address = rows === null ? undefined : consoleRows(rows, asked);
    return html`<dt class="strong">${title}</dt>
      <dd>
        ${definition}
        ${address === undefined ? '' : html`<a href="${address}" lang="${texts.language}">${t('console.reports.rows')}</a>`}
      </dd>`;
  });
  return html`<details class="card more">
    <summary>${t('console.reports.definitions')}</summary>
    <dl class="stack tight" lang="en" dir="ltr">${entries}</dl>
  </details>`;
}

/** `/reporting/movements?…{from}…` as the console's own page; undefined where it has none. */
function consoleRows(rows: string, asked: Asked): string | undefined {
  const values: Record<string, string> = { from: asked.from, to: asked.to, currency: asked.currency };
  const filled = rows.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '');
  const found = /^\/reporting\/(movements|transitions|transactions)(\?.*)$/.exec(filled);
  return found ? `/console/reports/${found[1] ?? ''}${found[2] ?? ''}` : undefined;
}
