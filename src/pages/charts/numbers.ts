import { html, type Html, type Written } from '../../kit/html';
import { type ChartOptions, exactFormat, type Series, seriesClass } from './scale';

/** What a chart says in words: its legend, its notes, and its numbers as a table and as files. */

/** The legend, with totals if there are any. A legend without totals is hidden from screen readers. */
export function legendOf({ texts, series, ...unit }: ChartOptions): Html {
  const { t } = texts;
  const format = exactFormat({ texts, ...unit });
  const isTold = series.some(({ total }) => total !== undefined);
  const isCompared = series.some(({ before }) => before !== undefined);
  if (series.length <= 1 && !isTold && !isCompared) return html``;
  const lines = series.map(({ name, total, totalBefore, totalAddress }, place) => {
    const text = totalAddress === undefined ? name : html`<a href="${totalAddress}">${name}</a>`;
    const earlier =
      totalBefore === undefined
        ? ''
        : html` <span class="quiet">${t('console.overview.versus', { value: format(totalBefore) })}</span>`;
    return html`<li>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <rect class="${seriesClass(place)}" width="12" height="12" rx="2" />
      </svg>
      <span
        >${text}${total === undefined ? '' : html` <span class="amount strong">${format(total)}</span>`}${earlier}</span
      >
    </li>`;
  });
  const compared = html`<li>
    <svg viewBox="0 0 12 12" aria-hidden="true"><path class="before" d="M0 6h12" /></svg>
    <span class="quiet">${t('console.charts.previous')}</span>
  </li>`;
  return html`<ul class="legend" ${isTold ? '' : html`aria-hidden="true"`}>
    ${lines} ${isCompared ? compared : ''}
  </ul>`;
}

/** The notes, numbered like their marks. */
export function notesOf({ texts, labels, notes = [] }: ChartOptions): Html {
  if (notes.length === 0) return html``;
  const lines = notes.map(({ at, text, address }) => {
    const name = address === undefined ? text : html`<a href="${address}">${text}</a>`;
    return html`<li><span class="quiet">${labels[at] ?? ''}:</span> ${name}</li>`;
  });
  return html`<ol class="chart-notes small" aria-label="${texts.t('console.charts.notes')}">
    ${lines}
  </ol>`;
}

/** The numbers as a table, and the links to the files. The script shows the button of the picture. */
export function numbersOf(options: ChartOptions): Html {
  const { texts, title, csv } = options;
  const { t } = texts;
  const named = (text: string) => html`${text}<span class="visually-hidden">: ${title}</span>`;
  return html`<div class="chart-numbers small">
    <p class="chart-files">
      ${csv !== undefined && html`<a href="${csv}">${named('CSV')}</a>`}
      <button type="button" class="plain" hidden data-picture="${title}">${named('PNG')}</button>
    </p>
    <details>
      <summary>${named(t('console.reports.numbers'))}</summary>
      ${tableOf(options)}
    </details>
  </div>`;
}

function tableOf(options: ChartOptions): Html {
  const { texts, title, labels, series } = options;
  const earlier = texts.t('console.charts.previous');
  const heads = series.map(
    ({ name, before }) =>
      html`<th scope="col" class="end">${name}</th>
        ${before && html`<th scope="col" class="end">${series.length > 1 ? `${name}, ${earlier}` : earlier}</th>`}`,
  );
  const format = exactFormat(options);
  const rows = labels.map((label, index) => {
    const cells = series.map(
      (each) =>
        html`<td class="end amount">${valueIn(each, index, format)}</td>
          ${each.before && html`<td class="end amount">${textOf(each.before[index], format)}</td>`}`,
    );
    return html`<tr>
      <th scope="row">${label}</th>
      ${cells}
    </tr>`;
  });
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="${title}">
    <table>
      <thead>
        <tr>
          <td></td>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

const textOf = (value: number | undefined, format: (value: number) => string) =>
  value === undefined ? '–' : format(value);

function valueIn({ values, address }: Series, index: number, format: (value: number) => string): Written {
  const value = values[index] ?? 0;
  const rows = value === 0 ? undefined : address?.(index);
  return rows === undefined ? format(value) : html`<a href="${rows}">${format(value)}</a>`;
}
