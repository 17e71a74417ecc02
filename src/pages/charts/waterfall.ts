import { html, type Html } from '../../kit/html';
import { framed } from './frame';
import { exactFormat, letter, round, shortFormat, size, type ChartOptions } from './scale';

/** A waterfall: how changes lead from one total to the next. */

export interface WaterfallStep {
  name: string;
  /** The total, or the change: below 0 for a loss. */
  value: number;
  isTotal?: true;
  /** The same in the previous period. */
  before?: number | undefined;
  /** The link to the rows. */
  address?: string | undefined;
}

type WaterfallOptions = Pick<ChartOptions, 'texts' | 'title' | 'currency' | 'csv'> & {
  steps: readonly WaterfallStep[];
  /** The heading of the values in the table. */
  valueName: string;
};

const rowHeight = 27;
const barHeight = 17;
const gap = 8;
/** The values are bold, and a small chart has larger letters. */
const valueLetter = 9;

/** One row for each step, with its name before the bar and its value behind it. */
export function waterfallChart({ steps, valueName, ...options }: WaterfallOptions): Html {
  const place = placesOf(options, steps);
  const height = steps.length * rowHeight;
  const rows = steps.map((step, index) => rowOf(options, place, step, index));
  const zero = html`<path class="axis" d="M${place.across(place.x(0))} 0V${height}" />`;
  const series = {
    name: valueName,
    values: steps.map(({ value }) => value),
    ...(steps.every(({ before }) => before !== undefined) && { before: steps.map(({ before }) => before ?? 0) }),
    address: (index: number) => steps[index]?.address,
  };
  const table = { ...options, labels: steps.map(({ name }) => name), series: [series] };
  return framed(table, html`${zero}${rows}`, { height, isLegendHidden: true });
}

type Unit = Pick<ChartOptions, 'texts' | 'currency'>;

function textOf(unit: Unit, { value, isTotal }: WaterfallStep): string {
  const text = shortFormat(unit)(value);
  if (isTotal || value <= 0) return text;
  // In Arabic, a number after a mark of the other direction keeps its sign before it.
  return text.startsWith('\u200f') ? `\u200f\u200e+${text.slice(1)}` : `+${text}`;
}

interface Places {
  spans: [from: number, to: number][];
  /** The distance of a value from the first side. */
  x: (value: number) => number;
  /** The same distance from the left. */
  across: (x: number) => number;
}

/** The places of the bars, between the names and the values. */
function placesOf(unit: Unit, steps: readonly WaterfallStep[]): Places {
  const widthOf = (texts: readonly string[], each: number) =>
    Math.max(0, ...texts.map((text) => text.length)) * each + gap;
  const start = widthOf(
    steps.map(({ name }) => name),
    letter,
  );
  const end =
    size.width -
    widthOf(
      steps.map((step) => textOf(unit, step)),
      valueLetter,
    );
  const isRtl = unit.texts.direction === 'rtl';
  const spans = spansOf(steps);
  const lowest = Math.min(0, ...spans.flat());
  const highest = Math.max(0, ...spans.flat());
  return {
    spans,
    x: (value) => start + ((value - lowest) / (highest - lowest || 1)) * (end - start),
    across: (x) => round(isRtl ? size.width - x : x),
  };
}

function rowOf(unit: Unit, { spans, x, across }: Places, step: WaterfallStep, index: number): Html {
  const [from = 0, to = 0] = spans[index] ?? [];
  const [first, last] = [x(Math.min(from, to)), x(Math.max(from, to))];
  const y = index * rowHeight + 5;
  const bar = html`<rect
    class="${kindOf(step)}"
    stroke="none"
    x="${Math.min(across(first), across(last))}"
    y="${y}"
    width="${round(Math.max(1, last - first))}"
    height="${barHeight}"
    rx="2"
    ><title>${step.name}: ${exactFormat(unit)(step.value)}</title></rect
  >`;
  const isLast = index === spans.length - 1;
  const link = html`<path class="axis" d="M${across(x(to))} ${y + barHeight}v${rowHeight - barHeight}" />`;
  // A step without a change has no bar.
  return html`<text x="${across(0)}" y="${y + 13}">${step.name}</text>${
      (step.isTotal ?? step.value !== 0) && bar
    }${!isLast && link}<text class="value" x="${across(last + gap - 2)}" y="${y + 13}">${textOf(unit, step)}</text>`;
}

const kindOf = ({ isTotal, value }: WaterfallStep) => (isTotal ? 'total' : value < 0 ? 'loss' : 'gain');

/** Where the bar of each step begins and ends. */
function spansOf(steps: readonly WaterfallStep[]): [from: number, to: number][] {
  let sum = 0;
  return steps.map(({ value, isTotal }) => {
    const from = isTotal ? 0 : sum;
    sum = isTotal ? value : sum + value;
    return [from, sum];
  });
}
