import { html, type Html } from '../../kit/html';

/** A small line without axes beside a figure. The chart and the table below say the same in words. */

const size = { width: 120, height: 28 };
const edge = 2;

export function sparkline(values: readonly number[]): Html {
  if (values.length < 2) return html``;
  const lowest = Math.min(0, ...values);
  const height = Math.max(...values) - lowest || 1;
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * size.width;
    const y = size.height - edge - ((value - lowest) / height) * (size.height - 2 * edge);
    return `${round(x)},${round(y)}`;
  });
  return html`<svg
    class="spark"
    viewBox="0 0 ${size.width} ${size.height}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <polygon points="0,${size.height} ${points.join(' ')} ${size.width},${size.height}" />
    <polyline points="${points.join(' ')}" />
  </svg>`;
}

const round = (value: number) => Math.round(value * 10) / 10;
