import { type Texts } from '../layout/texts';

/** The numbers of a chart, and the place of each number in its picture. */

export interface Series {
  name: string;
  /** One value for each label. */
  values: readonly number[];
  /** The values of the previous period, in the same order. The last ones may be absent. */
  before?: readonly number[] | undefined;
  /** The total, with a link to its rows. */
  total?: number;
  /** The total of the previous period. */
  totalBefore?: number | undefined;
  totalAddress?: string | undefined;
  /** The link to the rows of a value. */
  address?: (index: number) => string | undefined;
}

/** What happened at the time of a label, such as a new price. */
export interface ChartNote {
  /** The index of the label. */
  at: number;
  text: string;
  address?: string;
}

export interface ChartOptions {
  texts: Texts;
  title: string;
  /** The labels of the horizontal axis, in order. */
  labels: readonly string[];
  series: readonly Series[];
  /** The currency of amounts. Values without a currency are counts, and their axis has whole numbers only. */
  currency?: string | undefined;
  notes?: readonly ChartNote[];
  /** The address of the numbers as a CSV file. */
  csv?: string | undefined;
}

/** The size in pixels, close to the shown size, so that labels have the size of small text. */
export const size = { width: 440, height: 230 };
export const margin = { end: 16, top: 24, bottom: 30 };
export const letter = 7;
const marginMin = 36;
const plotHeight = size.height - margin.top - margin.bottom;

export interface Scale {
  y: (value: number) => number;
  ticks: number[];
}

/** A scale from 0 or below to a round number, which contains every value. */
export function scaleOf({ series, currency }: Pick<ChartOptions, 'series' | 'currency'>): Scale {
  const values = series
    .flatMap(({ values: own, before = [] }) => [...own, ...before])
    .filter((value) => Number.isFinite(value));
  const highest = Math.max(0, ...values);
  const lowest = Math.min(0, ...values);
  const value = roundStep((highest - lowest || 1) / 4);
  const step = currency === undefined ? Math.max(1, value) : value;
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

/** A scale, and the places along the horizontal axis. The first label is at the right in a right-to-left language. */
export interface Plot extends Scale {
  /** The width of a label with its marks. */
  slot: number;
  /** The middle of a label. */
  x: (index: number) => number;
  /** The same distance from the first side of the picture. */
  across: (x: number) => number;
  /** The distance of the axis from the first side. */
  start: number;
}

export function plotOf(options: ChartOptions): Plot {
  const scale = scaleOf(options);
  const isRtl = options.texts.direction === 'rtl';
  const short = shortFormat(options);
  const start = Math.max(marginMin, Math.max(...scale.ticks.map((tick) => short(tick).length)) * letter + 14);
  const slot = (size.width - start - margin.end) / Math.max(1, options.labels.length);
  const across = (x: number) => (isRtl ? size.width - x : x);
  return {
    ...scale,
    slot,
    start,
    across,
    x: (index) => across(start + (index + 0.5) * slot),
  };
}

type Unit = Pick<ChartOptions, 'texts' | 'currency'>;

/** The exact value, for tables and totals. */
export function exactFormat({ texts, currency }: Unit): (value: number) => string {
  return currency === undefined ? texts.number : (value) => texts.money(value, currency);
}

/** A value with at most three digits, such as €1.2M, for the axis and the labels of marks. */
export function shortFormat({ texts, currency }: Unit): (value: number) => string {
  const unit =
    currency === undefined ? {} : ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const);
  const format = new Intl.NumberFormat(texts.locale, {
    ...unit,
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumSignificantDigits: 3,
  });
  return (value) => format.format(value);
}

export const seriesClass = (place: number) => `series-${(place % 6) + 1}`;
export const round = (value: number) => Math.round(value * 10) / 10;

/** The label of a period: `3 Nov`, or `Nov 2026` for a month, in the format of the language. */
export function periodLabel(locale: string, period: string, interval: string): string {
  const parts =
    interval === 'month'
      ? ({ month: 'short', year: 'numeric' } as const)
      : ({ day: 'numeric', month: 'short' } as const);
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' }).format(new Date(period));
}
