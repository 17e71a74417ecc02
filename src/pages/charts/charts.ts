import { html, type Html } from '../../kit/html';
import { framed, gridOf, labelsOf, noteMarks } from './frame';
import { type ChartOptions, exactFormat, type Plot, plotOf, round, seriesClass, shortFormat } from './scale';

export { type ChartNote, type ChartOptions, periodLabel, type Series } from './scale';

/** Charts as SVG. Each has a table of its numbers, for people who cannot see the chart. */

/** A line with more points than this has no dots. */
const dotsMax = 62;
/** Bars have their values above them if there are at most as many. */
const labelledMax = 8;
/** The share of a slot that has bars. */
const filled = 0.72;

/** Bars, one group for each label. A stroke across a bar is the value of the previous period. */
export function barChart(options: ChartOptions): Html {
  const plot = plotOf(options);
  const width = Math.max(1, (plot.slot * filled) / Math.max(1, options.series.length));
  const bars = options.series.map((series, place) => {
    const at = (index: number) => {
      const x = plot.start + index * plot.slot + (plot.slot * (1 - filled)) / 2 + place * width;
      return Math.min(plot.across(x), plot.across(x + width));
    };
    const own = series.values.map((value, index) => {
      const top = plot.y(Math.max(0, value));
      const height = Math.max(0, plot.y(Math.min(0, value)) - top);
      return html`<rect
        class="${seriesClass(place)}"
        stroke="none"
        x="${round(at(index))}"
        y="${round(top)}"
        width="${round(width)}"
        height="${round(height)}"
        rx="2"
        >${titleOf(options, place, index)}</rect
      >`;
    });
    const strokes = (series.before ?? []).slice(0, options.labels.length).map((value, index) => {
      // A stroke at 0 is a part of the axis.
      if (value === 0) return '';
      const y = round(plot.y(value));
      return html`<path class="before" d="M${round(at(index) - 1)} ${y}h${round(width + 2)}" />`;
    });
    return html`${own}${strokes}`;
  });
  return chart(options, plot, html`${bars}${barLabels(options, plot)}`);
}

/** Lines, one for each series. A dashed line is the previous period. A value that is not a number has no point. */
export function lineChart(options: ChartOptions): Html {
  const plot = plotOf(options);
  const radius = options.labels.length > dotsMax ? 0 : 2.5;
  const pointsOf = (values: readonly number[]) =>
    values
      .slice(0, options.labels.length)
      .map((value, index) => (Number.isFinite(value) ? `${round(plot.x(index))},${round(plot.y(value))} ` : ''))
      .join('')
      .trimEnd();
  const lines = options.series.map((series, place) => {
    const dots = series.values.map((value, index) =>
      !Number.isFinite(value)
        ? ''
        : html`<circle
            class="${seriesClass(place)}"
            cx="${round(plot.x(index))}"
            cy="${round(plot.y(value))}"
            r="${radius}"
            >${titleOf(options, place, index)}</circle
          >`,
    );
    return html`${series.before && html`<polyline class="line before" points="${pointsOf(series.before)}" />`}
      <polyline class="line ${seriesClass(place)}" points="${pointsOf(series.values)}" />${dots}`;
  });
  return chart(options, plot, html`${areaOf(options, plot)} ${lines} ${lineLabels(options, plot)}`);
}

/** The surface below a single line. */
function areaOf({ series }: ChartOptions, plot: Plot): Html {
  const [only] = series;
  if (!only || series.length > 1 || only.values.length < 2) return html``;
  const shown = [...only.values.keys()].filter((index) => Number.isFinite(only.values[index]));
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return html``;
  const points = shown.map((index) => `${round(plot.x(index))},${round(plot.y(only.values[index] ?? 0))}`);
  const zero = round(plot.y(0));
  const ends = `${round(plot.x(last))},${zero} ${round(plot.x(first))},${zero}`;
  return html`<polygon class="area ${seriesClass(0)}" points="${points.join(' ')} ${ends}" />`;
}

function titleOf(options: ChartOptions, place: number, index: number): Html {
  const { labels, series } = options;
  const value = exactFormat(options)(series[place]?.values[index] ?? 0);
  return html`<title>${labels[index] ?? ''}, ${series[place]?.name ?? ''}: ${value}</title>`;
}

/** The values above the bars of one series. */
function barLabels(options: ChartOptions, plot: Plot): Html {
  const [only] = options.series;
  if (!only || options.series.length > 1 || only.values.length > labelledMax) return html``;
  const short = shortFormat(options);
  return html`${only.values.map((value, index) => {
    const y = plot.y(Math.max(0, value, only.before?.[index] ?? 0)) - 6;
    return value === 0
      ? ''
      : html`<text class="value" x="${round(plot.x(index))}" y="${round(y)}" text-anchor="middle"
          >${short(value)}</text
        >`;
  })}`;
}

/** The last value of each line, beside its point. */
function lineLabels(options: ChartOptions, plot: Plot): Html {
  const short = shortFormat(options);
  return html`${options.series.map(({ values }) => {
    const value = values.at(-1);
    if (value === undefined || !Number.isFinite(value) || options.series.length > 2) return '';
    const x = plot.x(values.length - 1);
    const anchor = values.length === 1 ? 'middle' : 'end';
    return html`<text class="value" x="${round(x)}" y="${round(plot.y(value) - 8)}" text-anchor="${anchor}">
      ${short(value)}
    </text>`;
  })}`;
}

function chart(options: ChartOptions, plot: Plot, marks: Html): Html {
  const content = html`${gridOf(options, plot)} ${noteMarks(options, plot)} ${marks} ${labelsOf(options, plot)}`;
  const [from, step] = [plot.x(0), plot.x(1) - plot.x(0)].map((value) => value.toFixed(3));
  const more = html`data-from="${from}" data-step="${step}"`;
  return framed(options, content, { more });
}
