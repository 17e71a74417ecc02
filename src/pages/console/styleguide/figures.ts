import { html, type Html } from '../../../kit/html';
import { barChart, lineChart, periodLabel } from '../../charts';
import { type Texts } from '../../layout/texts';
import { sparkline } from '../../sparkline';
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
      <div class="card">${lineChart(chartOf(texts, 1))}</div>
      <div class="card">${barChart(chartOf(texts, series))}</div>
    </div>`;
}

function chartOf({ t, number, locale }: Texts, count: number) {
  const labels = values.map((_value, index) => periodLabel(locale, `2030-01-0${index + 1}`, 'day'));
  const lines = Array.from({ length: count }, (_none, place) => ({
    name: t('console.styleguide.series', { number: place + 1 }),
    values: values.map((value) => value + 5 * place),
  }));
  return {
    title: t('console.styleguide.chart'),
    labels,
    series: lines,
    format: number,
    tableTitle: t('console.reports.numbers'),
  };
}
