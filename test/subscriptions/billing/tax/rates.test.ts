import { unionCountries } from '../../../../src/billing/tax/places';
import { findRate, packaged, parseRates, percentOf } from '../../../../src/billing/tax/rates';

const on = (country: string, day: string, kind: 'standard' | 'ebook' | 'press' = 'standard', region?: string) =>
  findRate(packaged, { country, region, kind, atMs: Date.parse(day) });

describe('the packaged table', () => {
  test.each([...unionCountries, 'GB', 'CH', 'NO'])('has a standard rate of %s', (country) => {
    expect(on(country, '2026-01-01')).toBeGreaterThan(0);
  });

  test('has no row twice', () => {
    const keys = packaged.map(({ country, region, kind, from }) => `${country} ${region ?? ''} ${kind} ${from}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('a reduced rate is below the standard rate', () => {
    for (const { country, kind, milliPercent, from } of packaged)
      if (kind !== 'standard') expect(milliPercent).toBeLessThan(on(country, from) ?? Number.POSITIVE_INFINITY);
  });
});

describe('the rate on a day', () => {
  test.each([
    ['2020-06-30', 19_000],
    ['2020-07-01', 16_000],
    ['2020-12-31', 16_000],
    ['2021-01-01', 19_000],
  ])('Germany on %s: %d', (day, rate) => {
    expect(on('DE', day)).toBe(rate);
  });

  test.each([
    ['CY', 'ebook', '2023-07-20', 19_000],
    ['CY', 'ebook', '2023-07-21', 3000],
    ['CY', 'press', '2023-07-21', 3000],
    ['LT', 'ebook', '2025-12-31', 9000],
    ['LT', 'ebook', '2026-01-01', 5000],
    ['RO', 'ebook', '2025-07-31', 5000],
    ['RO', 'ebook', '2025-08-01', 11_000],
    ['RO', 'press', '2025-08-01', 11_000],
    ['BG', 'press', '2022-12-31', 20_000],
    ['BG', 'press', '2023-01-01', 9000],
    ['MT', 'press', '2019-01-01', 5000],
    ['IS', 'press', '2018-06-30', 24_000],
    ['IS', 'press', '2018-07-01', 11_000],
    ['LI', 'ebook', '2023-12-31', 2500],
    ['LI', 'ebook', '2024-01-01', 2600],
    ['LI', 'press', '2024-01-01', 2600],
  ] as const)('%s, %s on %s: %d', (country, kind, day, rate) => {
    expect(on(country, day, kind)).toBe(rate);
  });

  test('changes at the first moment of its day, in UTC', () => {
    expect(on('EE', '2025-06-30T23:59:59.999Z')).toBe(22_000);
    expect(on('EE', '2025-07-01T00:00:00.000Z')).toBe(24_000);
  });

  test('a kind without a rate of its own has the standard rate', () => {
    expect(on('HU', '2026-01-01', 'ebook')).toBe(27_000);
    expect(on('DE', '2026-01-01', 'press')).toBe(7000);
  });

  test('a region has its own rate, and an unknown region that of its country', () => {
    expect(on('PT', '2026-01-01', 'standard', 'PT-20')).toBe(16_000);
    expect(on('PT', '2026-01-01', 'standard', 'PT-11')).toBe(23_000);
  });

  test('a region has its own reduced rates, and they do not follow those of its country', () => {
    expect(on('PT', '2026-01-01', 'press', 'PT-20')).toBe(4000);
    expect(on('PT', '2024-09-30', 'press', 'PT-30')).toBe(5000);
    expect(on('PT', '2024-10-01', 'press', 'PT-30')).toBe(4000);
    expect(on('PT', '2024-10-01', 'ebook', 'PT-30')).toBe(4000);
    expect(on('PT', '2026-01-01', 'press', 'PT-11')).toBe(6000);
  });

  test('the standard rate of a region comes before the reduced rate of its country', () => {
    const table = parseRates('PT standard 2026-01-01 23\nPT press 2026-01-01 6\nPT PT-20 standard 2026-01-01 16');
    const at = { country: 'PT', atMs: Date.parse('2026-01-01') } as const;
    expect(findRate(table, { ...at, region: 'PT-20', kind: 'press' })).toBe(16_000);
    expect(findRate(table, { ...at, region: 'PT-30', kind: 'press' })).toBe(6000);
    expect(findRate(table, { ...at, kind: 'press' })).toBe(6000);
  });

  test('is the newest that has begun, in whatever order the table has them, and of one day the last', () => {
    const table = parseRates('DE standard 2026-03-01 3\nDE standard 2026-01-01 1\nDE standard 2026-02-01 2');
    const rateOn = (day: string, rates = table) =>
      findRate(rates, { country: 'DE', kind: 'standard', atMs: Date.parse(day) });
    expect(['2025-12-31', '2026-01-01', '2026-02-28', '2026-04-01'].map((day) => rateOn(day))).toEqual([
      undefined,
      1000,
      2000,
      3000,
    ]);
    const corrected = parseRates('DE standard 2026-01-01 1\nDE standard 2026-01-01 2');
    expect(rateOn('2026-01-01', corrected)).toBe(2000);
  });

  test('is undefined for a country without rates, and before the first day', () => {
    expect(on('US', '2026-01-01')).toBeUndefined();
    expect(on('AE', '2017-12-31')).toBeUndefined();
  });
});

describe('a table as text', () => {
  test('has comments, regions and up to three decimals', () => {
    const table = parseRates('# rates\nUS US-NY standard 2026-01-01 8.875 # New York\n\nFI standard 2024-09-01 25.5');
    expect(table).toStrictEqual([
      { country: 'US', region: 'US-NY', kind: 'standard', from: '2026-01-01', milliPercent: 8875 },
      { country: 'FI', kind: 'standard', from: '2024-09-01', milliPercent: 25_500 },
    ]);
    expect(percentOf(8875)).toBe(8.875);
  });

  test.each([
    'DE',
    'de standard 2026-01-01 19',
    'DE food 2026-01-01 7',
    'DE standard 2026-13-01 19',
    'DE standard 2026-01-01 -1',
    'xDE standard 2026-01-01 19',
    'DE standard 2026-01-01 19 %',
    'DE standard 2026-01-01 119',
    'DE standard 2026-01-01 19.1234',
  ])('refuses %p', (line) => {
    expect(() => parseRates(line)).toThrow(new Error(`Not a tax rate: ${line}`));
  });
});
