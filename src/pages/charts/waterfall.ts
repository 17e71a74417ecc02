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

/** One row for each step, with its name before the bar and its value behind it. */
export function waterfallChart({ steps, valueName, ...options }: WaterfallOptions): Html {
  const { texts } = options;
  const short = shortFormat(options);
  const textOf = ({ value, isTotal }: WaterfallStep) => `${!isTotal && value > 0 ? '+' : ''}${short(value)}`;
  const widthOf = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length)) * letter + gap;
  const start = widthOf(steps.map(({ name }) => name));
  const end = size.width - widthOf(steps.map(textOf));
  const isRtl = texts.direction === 'rtl';
  const across = (x: number) => round(isRtl ? size.width - x : x);
  const spans = spansOf(steps);
  const lowest = Math.min(0, ...spans.flat());
  const highest = Math.max(0, ...spans.flat());
  const x = (value: number) => start + ((value - lowest) / (highest - lowest || 1)) * (end - start);
  const rows = steps.map((step, index) => {
    const [from = 0, to = 0] = spans[index] ?? [];
    const [left, right] = [x(Math.min(from, to)), x(Math.max(from, to))];
    const y = index * rowHeight + 5;
    const isLast = index === steps.length - 1;
    const text = html`<text x="${across(0)}" y="${y + 13}" text-anchor="${isRtl ? 'end' : 'start'}"
      >${step.name}</text
    >`;
    const link = isLast
      ? ''
      : html`<path class="axis" d="M${across(x(to))} ${y + barHeight}v${rowHeight - barHeight}" />`;
    return html`${text}<rect
        class="${kindOf(step)}"
        stroke="none"
        x="${Math.min(across(left), across(right))}"
        y="${y}"
        width="${round(Math.max(1, right - left))}"
        height="${barHeight}"
        rx="2"
        ><title>${step.name}: ${exactFormat(options)(step.value)}</title></rect
      >${link}<text class="value" x="${across(right + gap - 2)}" y="${y + 13}" text-anchor="${isRtl ? 'end' : 'start'}"
        >${textOf(step)}</text
      >`;
  });
  const series = {
    name: valueName,
    values: steps.map(({ value }) => value),
    ...(steps.every(({ before }) => before !== undefined) && { before: steps.map(({ before }) => before ?? 0) }),
    address: (index: number) => steps[index]?.address,
  };
  const zero = html`<path class="axis" d="M${across(x(0))} 0V${steps.length * rowHeight}" />`;
  const table = { ...options, labels: steps.map(({ name }) => name), series: [series] };
  return framed(table, html`${zero}${rows}`, { height: steps.length * rowHeight, isLegendHidden: true });
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
