import { html, type Html } from '../../../kit/html';
import { barChart, type ChartOptions, lineChart, periodLabel } from '../../charts/charts';
import { sparkline } from '../../charts/sparkline';
import { waterfallChart } from '../../charts/waterfall';
import { type Texts } from '../../layout/texts';

import { trend } from '../keyFigures';
import { stat } from '../lists';
import { place } from './place';

/** Key figures and charts. */

const values = [12, 18, 15, 24, 22, 31, 36];
const series = 6;

export function figures(texts: Texts): Html {
  const { t, money } = texts;
  const versus = t('console.overview.versus', { value: money(31, 'EUR') });
  const name = t('console.reports.mrr');
  const link = html`<a href="${place}">${name}</a>`;
  return html`<div class="key-figures">
      ${stat(link, money(36, 'EUR'), html`${trend(1, '+16.1%', versus)} ${sparkline(values)}`)}
      ${stat(link, money(36, 'EUR'), html`${trend(-1, '-16.1%', versus)} ${sparkline([...values].reverse())}`)}
      ${stat(name, money(36, 'EUR'), trend(0, '0', versus))}
    </div>
    <div class="grid">${stat(link, texts.number(1280))} ${stat(name, texts.number(0))}</div>
    <div class="charts">
      <div class="card">${lineChart(comparedChart(texts))}</div>
      <div class="card">${barChart(chartOf(texts, series))}</div>
      <div class="card">${barChart({ ...comparedChart(texts), notes: [] })}</div>
      <div class="card">${waterfallChart({ texts, title: t('console.charts.waterfall'), ...waterfall(texts) })}</div>
    </div>`;
}

/** A chart with the previous period and a note. */
function comparedChart(texts: Texts): ChartOptions {
  const { t } = texts;
  const options = chartOf(texts, 1);
  return {
    ...options,
    currency: 'EUR',
    series: options.series.map((each) => ({ ...each, before: values.map((value) => value * 0.75) })),
    notes: [{ at: 4, text: t('console.charts.note.update'), address: place }],
    csv: place,
  };
}

function waterfall({ t }: Texts) {
  const changes = { new: 14, expansion: 6, contraction: -3, churn_voluntary: -8, churn_payment: -2 } as const;
  const names = Object.keys(changes) as (keyof typeof changes)[];
  return {
    currency: 'EUR',
    valueName: t('console.charts.step'),
    steps: [
      { name: t('console.charts.opening'), value: 29, isTotal: true as const },
      ...names.map((name) => ({ name: t(`console.reports.${name}`), value: changes[name] })),
      { name: t('console.charts.closing'), value: 36, isTotal: true as const },
    ],
  };
}

function chartOf(texts: Texts, count: number): ChartOptions {
  const { t, locale } = texts;
  const labels = values.map((_value, index) => periodLabel(locale, `2030-01-0${index + 1}`, 'day'));
  const lines = Array.from({ length: count }, (_none, place) => ({
    name: t('console.styleguide.series', { number: place + 1 }),
    values: values.map((value) => value + 5 * place),
  }));
  return { texts, title: t('console.styleguide.chart'), labels, series: lines };
}
