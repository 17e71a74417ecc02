import fc from 'fast-check';
import { intervalFor } from '../../src/pages/console/reports/range';
import { barChart, lineChart, scaleOf } from '../../src/pages/charts';

const amounts = fc.array(
  fc.integer({ min: -1e11, max: 1e11 }).map((minor) => minor / 100),
  { minLength: 1, maxLength: 40 },
);

test('every value lies within the plot, and 0 is one of the lines', () => {
  fc.assert(
    fc.property(amounts, (values) => {
      const { y, ticks } = scaleOf({ series: [{ name: 'one', values }] });
      for (const value of values) {
        expect(y(value)).toBeGreaterThanOrEqual(11.9);
        expect(y(value)).toBeLessThanOrEqual(230.1);
      }
      expect(ticks.some((tick) => Math.abs(tick) < 1e-6 * Math.max(1, ...values.map(Math.abs)))).toBe(true);
      expect(ticks.length).toBeLessThan(12);
    }),
  );
});

test('what is counted has no line between one and the next', () => {
  const ticks = (values: number[]) => scaleOf({ series: [{ name: 'one', values }], isCount: true }).ticks;
  expect(ticks([1])).toEqual([0, 1]);
  expect(ticks([0, 3])).toEqual([0, 1, 2, 3]);
});

test.each([barChart, lineChart])('a chart has its numbers as a table, and no number that is none', (draw) => {
  const chart = draw({
    title: 'Revenue <month>',
    labels: ['May', 'June'],
    series: [
      { name: 'New', values: [0, 5] },
      { name: 'Lost', values: [-2, 0] },
    ],
    format: (value) => `${value} €`,
    tableTitle: 'Show data',
  }).text;
  expect(chart).toContain('aria-label="Revenue &lt;month&gt;"');
  expect(chart).toContain('<td class="end amount">-2 €</td>');
  expect(chart).not.toMatch(/NaN|undefined|style=/);
  expect(draw({ title: '', labels: [], series: [], format: String, tableTitle: '' }).text).not.toContain('NaN');
});

test('labels never run into each other, nor over the edge', () => {
  const label = fc.string({ minLength: 1, maxLength: 18, unit: 'grapheme-ascii' }).filter((text) => /^\w+$/.test(text));
  fc.assert(
    fc.property(fc.array(label, { minLength: 2, maxLength: 120 }), (labels) => {
      const chart = barChart({ title: '', labels, series: [], format: String, tableTitle: '' }).text;
      const places = [...chart.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="middle"\s*>(\w+)</g)].map(
        ([, x, text = '']) => ({ from: Number(x) - text.length * 3.5, to: Number(x) + text.length * 3.5 }),
      );
      expect(places.length).toBeGreaterThan(0);
      places.forEach((place, index) => {
        expect(place.from).toBeGreaterThanOrEqual(places[index - 1]?.to ?? -Infinity);
        if (index > 0) expect(place.to).toBeLessThanOrEqual(440.1);
      });
    }),
  );
});

test.each([
  ['2026-01-01', '2026-01-31', 'day'],
  ['2026-01-01', '2026-06-30', 'week'],
  ['2026-01-01', '2027-01-01', 'week'],
  ['2026-01-01', '2027-12-31', 'month'],
])('a report from %s to %s has a bar a %s', (from, to, interval) => {
  expect(intervalFor({ from, to })).toBe(interval);
});
