import { html, type Html } from '../../kit/html';
import { type ChartOptions, letter, margin, type Plot, round, shortFormat, size } from './scale';
import { legendOf, notesOf, numbersOf } from './numbers';
import { assetAddress } from '../layout/assets';

/** The parts around the marks of a chart. */

interface Frame {
  height?: number;
  /** Attributes of the picture. */
  more?: Html;
  isLegendHidden?: true;
}

/** A chart with its legend, notes and numbers. */
export function framed(options: ChartOptions, content: Html, frame: Frame): Html {
  const { height = size.height, more, isLegendHidden } = frame;
  return html`<figure class="stack chart-frame" data-needs-script="${assetAddress('charts.js')}">
    <svg class="chart" viewBox="0 0 ${size.width} ${height}" role="img" aria-label="${options.title}" ${more ?? ''}>
      ${content}
    </svg>
    ${!isLegendHidden && legendOf(options)} ${notesOf(options)} ${numbersOf(options)}
  </figure>`;
}

export function gridOf(options: ChartOptions, { y, ticks, start, across }: Plot): Html {
  const short = shortFormat(options);
  return html`${ticks.map(
    (tick) =>
      html`<line
          class="axis"
          x1="${round(across(start))}"
          x2="${round(across(size.width - margin.end))}"
          y1="${round(y(tick))}"
          y2="${round(y(tick))}"
        /><text x="${round(across(start - 8))}" y="${round(y(tick) + 4)}" text-anchor="end"> ${short(tick)} </text>`,
  )}`;
}

/** So many labels are all shown, such as steps of a funnel: in two lines if they are too long for one. */
const namedMax = 6;

/** The labels of the axis. Some are left out if the axis is too short for all. */
export function labelsOf({ labels }: ChartOptions, { x, slot }: Plot): Html {
  const inTwo = labels.map(twoLinesOf);
  const fits = (text: string) => (text.length + 1) * letter <= slot;
  if (labels.length <= namedMax && !labels.every(fits) && inTwo.flat().every(fits))
    return html`${inTwo.map((lines, index) => linesAt(lines, round(x(index))))}`;
  const needed = (Math.max(0, ...labels.map((label) => label.length)) + 2) * letter;
  const every = Math.max(1, Math.ceil(needed / slot));
  return html`${labels.map((label, index) => {
    const half = (label.length * letter) / 2;
    const isInside = x(index) - half >= 0 && x(index) + half <= size.width;
    const isShown = index % every === 0 && (index === 0 || isInside);
    return isShown
      ? html`<text x="${round(x(index))}" y="${size.height - 8}" text-anchor="middle">${label}</text>`
      : '';
  })}`;
}

function twoLinesOf(label: string): string[] {
  const words = label.split(' ');
  const half = Math.ceil(words.length / 2);
  return [words.slice(0, half).join(' '), words.slice(half).join(' ')].filter((line) => line !== '');
}

const linesAt = (lines: readonly string[], middle: number) =>
  html`<text text-anchor="middle">
    ${lines.map((line, index) => html`<tspan x="${middle}" y="${size.height - 16 + 13 * index}">${line}</tspan>`)}
  </text>`;

/** The numbers of the notes above their times, each with a line down to the axis. */
export function noteMarks({ notes = [] }: ChartOptions, { x }: Plot): Html {
  return html`${notes.map(({ at }, index) => {
    const middle = round(x(at));
    return html`<path class="note-line" d="M${middle} ${margin.top - 6}V${size.height - margin.bottom}" /><circle
        class="note-mark"
        cx="${middle}"
        cy="${margin.top - 13}"
        r="8"
      /><text class="note-number" x="${middle}" y="${margin.top - 9}" text-anchor="middle">${index + 1}</text>`;
  })}`;
}
