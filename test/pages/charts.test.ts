import fc from 'fast-check';
import { intervalFor } from '../../src/pages/console/reports/range';
import { barChart, lineChart } from '../../src/pages/charts/charts';
import { scaleOf, shortFormat } from '../../src/pages/charts/scale';
import { waterfallChart } from '../../src/pages/charts/waterfall';
import { previousRange } from '../../src/pages/console/reports/comparison';
import { textsFor } from '../../src/pages/layout/texts';

const texts = textsFor({ languages: ['en'] });

const amounts = fc.array(
  fc.integer({ min: -1e11, max: 1e11 }).map((minor) => minor / 100),
  { minLength: 1, maxLength: 40 },
);

test('every value lies within the plot, and 0 is one of the lines', () => {
  fc.assert(
    fc.property(amounts, (values) => {
      const { y, ticks } = scaleOf({ series: [{ name: 'one', values }], currency: 'EUR' });
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
  const ticks = (values: number[]) => scaleOf({ series: [{ name: 'one', values }] }).ticks;
  expect(ticks([1])).toEqual([0, 1]);
  expect(ticks([0, 3])).toEqual([0, 1, 2, 3]);
});

test.each([barChart, lineChart])('a chart has its numbers as a table, and no number that is none', (draw) => {
  const chart = draw({
    texts,
    title: 'Revenue <month>',
    labels: ['May', 'June'],
    series: [
      { name: 'New', values: [0, 5] },
      { name: 'Lost', values: [-2, 0] },
    ],
    currency: 'EUR',
  }).text;
  expect(chart).toContain('aria-label="Revenue &lt;month&gt;"');
  expect(chart).toContain('<td class="end amount">-€2.00</td>');
  expect(chart).not.toMatch(/NaN|undefined|style=/);
  expect(draw({ texts, title: '', labels: [], series: [] }).text).not.toContain('NaN');
});

test('the names of a few bars are all shown, in two lines if one is too short', () => {
  const labels = ['Visited', 'Registered', 'Started checkout', 'Purchased'];
  const chart = barChart({ texts, title: '', labels, series: [] }).text;
  for (const word of ['Visited', 'Registered', 'Started', 'checkout', 'Purchased'])
    expect(chart).toContain(`>${word}</tspan>`);
});

test('labels never run into each other, nor over the edge', () => {
  const label = fc.string({ minLength: 1, maxLength: 18, unit: 'grapheme-ascii' }).filter((text) => /^\w+$/.test(text));
  fc.assert(
    fc.property(fc.array(label, { minLength: 2, maxLength: 120 }), (labels) => {
      const chart = barChart({ texts, title: '', labels, series: [] }).text;
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

test.each([
  ['whole months', '2026-11-01', '2026-11-30', '2026-10-01', '2026-10-31'],
  ['two months of different length', '2026-01-01', '2026-02-28', '2025-11-01', '2025-12-31'],
  ['a leap day', '2028-02-01', '2028-02-29', '2028-01-01', '2028-01-31'],
  ['days', '2026-11-02', '2026-11-30', '2026-10-04', '2026-11-01'],
  ['one day', '2026-03-01', '2026-03-01', '2026-02-28', '2026-02-28'],
])('the previous period of %s', (_name, from, to, fromBefore, toBefore) => {
  expect(previousRange({ from, to })).toEqual({ from: fromBefore, to: toBefore });
});

test('there is no previous period before the first year of reports', () => {
  expect(previousRange({ from: '1900-01-01', to: '1900-01-31' })).toBeUndefined();
  expect(previousRange({ from: '1900-02-01', to: '1900-02-28' })).toEqual({ from: '1900-01-01', to: '1900-01-31' });
});

const compared = {
  texts,
  title: 'Revenue',
  labels: ['May', 'June', 'July'],
  series: [{ name: 'New', values: [0, 5, 2], before: [4, 100] }],
  currency: 'EUR',
};

test.each([barChart, lineChart])('the previous period has its marks and its column, also if it is shorter', (draw) => {
  const chart = draw(compared).text;
  expect(chart.match(/class="(?:line )?before"/g)?.length).toBe(draw === lineChart ? 2 : 3);
  expect(chart).toContain('<th scope="col" class="end">Previous period</th>');
  expect(chart).toContain('<td class="end amount">€100.00</td>');
  expect(chart).toContain('<td class="end amount">–</td>');
  expect(chart).not.toMatch(/NaN|undefined/);
});

test.each([barChart, lineChart])('a note has a number above its time and a line in the list', (draw) => {
  const chart = draw({ ...compared, notes: [{ at: 1, text: 'Price <changed>', address: '/console/audit' }] }).text;
  expect(chart).toMatch(/class="note-number"[^>]*>1</);
  expect(chart).toMatch(/June:<\/span> <a href="\/console\/audit">Price &lt;changed&gt;</);
});

test.each(['en', 'ar'])('no mark lies outside of the picture: %s', (language) => {
  const own = textsFor({ languages: [language] });
  fc.assert(
    fc.property(amounts, amounts, (values, before) => {
      const labels = values.map((_value, index) => `${index}`);
      for (const draw of [barChart, lineChart]) {
        const chart = draw({ ...compared, texts: own, labels, series: [{ name: 'one', values, before }] }).text;
        const places = [...chart.matchAll(/\s(?:x|cx|x1|x2)="([^"]*)"/g)].map(([, x]) => Number(x));
        expect(places.filter((x) => !(x >= -0.1 && x <= 440.1))).toEqual([]);
      }
    }),
  );
});

test.each([
  ['EUR', 1234.56, '€1.23K'],
  ['EUR', -0.05, '-€0.05'],
  ['JPY', 98_765_432_109, '¥98.8B'],
  ['KWD', 0.125, 'KWD\u{a0}0.125'],
  [undefined, 1280, '1.28K'],
])('%s %p is short beside an axis', (currency, value, text) => {
  expect(shortFormat({ texts, currency })(value)).toBe(text);
});

describe('a waterfall', () => {
  const draw = (values: readonly number[]) =>
    waterfallChart({
      texts,
      title: 'MRR',
      currency: 'EUR',
      valueName: 'Change',
      steps: [
        { name: 'Start', value: 0, isTotal: true },
        ...values.map((value, index) => ({ name: `Step ${index}`, value })),
        { name: 'End', value: values.reduce((sum, next) => sum + next, 0), isTotal: true },
      ],
    }).text;

  test('each bar begins where the one before ends, and each change has its sign', () => {
    const chart = draw([100, -40, 0]);
    const bars = [...chart.matchAll(/class="(\w+)"\s+stroke="none"\s+x="([\d.]+)"\s+y="\d+"\s+width="([\d.]+)"/g)].map(
      ([, kind, x, width]) => [kind, Number(x), Number(x) + Number(width)] as const,
    );
    expect(bars.map(([kind]) => kind)).toEqual(['total', 'gain', 'loss', 'total']);
    expect(bars[1]?.[2]).toBeCloseTo(bars[2]?.[2] ?? 0, 0);
    expect(bars[2]?.[1]).toBeCloseTo(bars[3]?.[2] ?? 0, 0);
    for (const text of ['+€100', '-€40', '>€60<']) expect(chart).toContain(text);
  });

  test('any amounts stay inside of the picture', () => {
    fc.assert(
      fc.property(amounts, (values) => {
        const chart = draw(values);
        expect(chart).not.toMatch(/NaN|undefined|width="-/);
        const places = [...chart.matchAll(/\sx="([^"]*)"/g)].map(([, x]) => Number(x));
        expect(places.filter((x) => !(x >= -0.1 && x <= 440.1))).toEqual([]);
      }),
    );
  });
});
