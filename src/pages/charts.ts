import { html, type Html, type Written } from '../kit/html';

/** Charts as SVG. Each has a table of its numbers, for people who cannot see the chart. */

export interface Series {
  name: string;
  /** One value for each label. */
  values: readonly number[];
  /** The total, with a link to its rows. */
  total?: number;
  totalAddress?: string | undefined;
  /** The link to the rows of a value. */
  address?: (index: number) => string | undefined;
}

export interface ChartOptions {
  title: string;
  /** The labels of the horizontal axis, in order. */
  labels: readonly string[];
  series: readonly Series[];
  /** The format of a value: money, a share or a count. */
  format: (value: number) => string;
  /** The title of the table of numbers: `Show data`. */
  tableTitle: string;
  /** Whether the values are counts, so that the axis has whole numbers only. */
  isCount?: boolean;
}

/** The size in pixels, close to the shown size, so that labels have the size of small text. */
const size = { width: 440, height: 230 };
const margin = { left: 64, right: 16, top: 12, bottom: 30 };
const letter = 7;
/** A line with more points than this has no dots. */
const dotsMax = 62;

/** Bars, one group for each label. */
export function barChart(options: ChartOptions): Html {
  const scale = scaleOf(options);
  const slot = slotOf(options);
  const width = Math.max(1, (slot * 0.72) / Math.max(1, options.series.length));
  const bars = options.series.map((series, place) =>
    series.values.map((value, index) => {
      const x = margin.left + index * slot + slot * 0.14 + place * width;
      const from = scale.y(Math.max(0, value));
      const height = Math.max(0, scale.y(Math.min(0, value)) - from);
      const tooltip = `${options.labels[index] ?? ''}, ${series.name}: ${options.format(value)}`;
      return html`<rect
        class="${seriesClass(place)}"
        stroke="none"
        x="${round(x)}"
        y="${round(from)}"
        width="${round(width)}"
        height="${round(height)}"
        rx="2"
        ><title>${tooltip}</title></rect
      >`;
    }),
  );
  return chart(options, scale, html`${bars}`);
}

/** Lines, one for each series. */
export function lineChart(options: ChartOptions): Html {
  const scale = scaleOf(options);
  const slot = slotOf(options);
  const x = (index: number) => round(margin.left + (index + 0.5) * slot);
  const radius = options.labels.length > dotsMax ? 0 : 3;
  const lines = options.series.map((series, place) => {
    const points = series.values.map((value, index) => `${x(index)},${round(scale.y(value))}`).join(' ');
    const dots = series.values.map((value, index) => {
      const tooltip = `${options.labels[index] ?? ''}, ${series.name}: ${options.format(value)}`;
      return html`<circle class="${seriesClass(place)}" cx="${x(index)}" cy="${round(scale.y(value))}" r="${radius}">
        <title>${tooltip}</title></circle
      >`;
    });
    return html`<polyline class="line ${seriesClass(place)}" points="${points}" />${dots}`;
  });
  return chart(options, scale, html`${lines}`);
}

const plotHeight = size.height - margin.top - margin.bottom;
const slotOf = ({ labels }: ChartOptions) => (size.width - margin.left - margin.right) / Math.max(1, labels.length);

interface Scale {
  y: (value: number) => number;
  ticks: number[];
}

/** A scale from 0 or below to a round number, which contains every value. */
export function scaleOf({ series, isCount = false }: Pick<ChartOptions, 'series' | 'isCount'>): Scale {
  const values = series.flatMap(({ values: own }) => own).filter((value) => Number.isFinite(value));
  const highest = Math.max(0, ...values);
  const lowest = Math.min(0, ...values);
  const value = roundStep((highest - lowest || 1) / 4);
  const step = isCount ? Math.max(1, value) : value;
  const top = Math.ceil(highest / step) * step || (lowest < 0 ? 0 : step);
  const bottom = Math.floor(lowest / step) * step;
  const count = Math.round((top - bottom) / step);
  return {
    y: (value) => margin.top + ((top - value) / (top - bottom)) * plotHeight,
    ticks: Array.from({ length: count + 1 }, (_none, index) => bottom + index * step),
  };
}

/** The next larger number that is 1, 2 or 5 times a power of ten. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power;
}

function chart(options: ChartOptions, scale: Scale, marks: Html): Html {
  return html`<figure class="stack">
    <svg class="chart" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${options.title}">
      ${gridOf(options, scale)} ${marks} ${labelsOf(options)}
    </svg>
    ${legendOf(options)} ${tableOf(options)}
  </figure>`;
}

function gridOf({ format }: ChartOptions, { y, ticks }: Scale): Html {
  return html`${ticks.map(
    (tick) =>
      html`<line
          class="axis"
          x1="${margin.left}"
          x2="${size.width - margin.right}"
          y1="${round(y(tick))}"
          y2="${round(y(tick))}"
        /><text x="${margin.left - 8}" y="${round(y(tick) + 4)}" text-anchor="end">${format(tick)}</text>`,
  )}`;
}

/** The labels of the axis. Some are left out if the axis is too short for all. */
function labelsOf(options: ChartOptions): Html {
  const { labels } = options;
  const slot = slotOf(options);
  const needed = (Math.max(0, ...labels.map((label) => label.length)) + 2) * letter;
  const every = Math.max(1, Math.ceil(needed / slot));
  return html`${labels.map((label, index) => {
    const x = margin.left + (index + 0.5) * slot;
    const isShown = index % every === 0 && (index === 0 || x + (label.length * letter) / 2 <= size.width);
    return isShown ? html`<text x="${round(x)}" y="${size.height - 8}" text-anchor="middle">${label}</text>` : '';
  })}`;
}

/** The legend, with totals if there are any. A legend without totals is hidden from screen readers. */
function legendOf({ series, format }: ChartOptions): Html {
  const isTold = series.some(({ total }) => total !== undefined);
  if (series.length === 1 && !isTold) return html``;
  const lines = series.map(({ name, total, totalAddress }, place) => {
    const text = totalAddress === undefined ? name : html`<a href="${totalAddress}">${name}</a>`;
    return html`<li>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <rect class="${seriesClass(place)}" width="12" height="12" rx="2" />
      </svg>
      <span>${text}${total === undefined ? '' : html` <span class="amount strong">${format(total)}</span>`}</span>
    </li>`;
  });
  return html`<ul class="legend" ${isTold ? '' : html`aria-hidden="true"`}>
    ${lines}
  </ul>`;
}

function tableOf({ title, tableTitle, labels, series, format }: ChartOptions): Html {
  const heads = series.map(({ name }) => html`<th scope="col" class="end">${name}</th>`);
  const rows = labels.map((label, index) => {
    const cells = series.map((each) => html`<td class="end amount">${valueIn(each, index, format)}</td>`);
    return html`<tr>
      <th scope="row">${label}</th>
      ${cells}
    </tr>`;
  });
  return html`<details class="small">
    <summary>${tableTitle}</summary>
    <div class="table-scroll" tabindex="0" role="region" aria-label="${title}">
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
    </div>
  </details>`;
}

function valueIn({ values, address }: Series, index: number, format: (value: number) => string): Written {
  const value = values[index] ?? 0;
  const rows = value === 0 ? undefined : address?.(index);
  return rows === undefined ? format(value) : html`<a href="${rows}">${format(value)}</a>`;
}

const seriesClass = (place: number) => `series-${(place % 6) + 1}`;
const round = (value: number) => Math.round(value * 10) / 10;

/** The label of a period: `3 Nov`, or `Nov 2026` for a month, in the format of the language. */
export function periodLabel(locale: string, period: string, interval: string): string {
  const parts =
    interval === 'month'
      ? ({ month: 'short', year: 'numeric' } as const)
      : ({ day: 'numeric', month: 'short' } as const);
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' }).format(new Date(period));
}
