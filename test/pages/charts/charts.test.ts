import fc from 'fast-check';
import { barChart, lineChart, scaleOf } from '../../../src/pages/charts/charts';

const amounts = fc.array(
  fc.integer({ min: -1e11, max: 1e11 }).map((minor) => minor / 100),
  { minLength: 1, maxLength: 40 },
);

test('every value lies within the plot, and 0 is one of the lines', () => {
  fc.assert(
    fc.property(amounts, (values) => {
      const { y, ticks } = scaleOf([{ name: 'one', values }]);
      for (const value of values) {
        expect(y(value)).toBeGreaterThanOrEqual(11.9);
        expect(y(value)).toBeLessThanOrEqual(230.1);
      }
      expect(ticks.some((tick) => Math.abs(tick) < 1e-6 * Math.max(1, ...values.map(Math.abs)))).toBe(true);
      expect(ticks.length).toBeLessThan(12);
    }),
  );
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
    tableTitle: 'Show the numbers',
  }).text;
  expect(chart).toContain('aria-label="Revenue &lt;month&gt;"');
  expect(chart).toContain('<td class="end amount">-2 €</td>');
  expect(chart).not.toMatch(/NaN|undefined|style=/);
  expect(draw({ title: '', labels: [], series: [], format: String, tableTitle: '' }).text).not.toContain('NaN');
});
