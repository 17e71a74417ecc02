import { lastDayOf, quarterOf, toEuroMinor } from '../../../../src/billing/tax/euro';

/** Amounts in euro by a rate of the European Central Bank: units of a currency for one euro. */

test.each([
  [0, 'USD', '1.0705', 0],
  [10_705, 'USD', '1.0705', 10_000],
  [1_000, 'USD', '1.0705', 934], // 9.3414…
  [-1_000, 'USD', '1.0705', -934],
  [1, 'USD', '2', 1], // half a cent
  [-1, 'USD', '2', -1],
  [99, 'USD', '200', 0], // 0.495 cents
  [100, 'USD', '200', 1],
  [17_194, 'JPY', '171.94', 10_000],
  [1, 'JPY', '171.94', 1], // 0.58 cents
  [1_000, 'KWD', '0.33', 303], // 1 dinar is 3.0303… euros
  [1, 'IDR', '17487.21', 0],
  [999_999_999_999_999, 'USD', '1', 999_999_999_999_999],
  [999_999_999_999_999, 'USD', '1.0000000001', 999_999_999_899_999],
  [1_234, 'GBP', '1', 1_234],
])('%i minor units of %s at %s are %i cents', (amountMinor, currency, rate, cents) => {
  expect(toEuroMinor(amountMinor, currency, rate)).toBe(cents);
});

test('what is sold and what is returned cancel each other', () => {
  for (let minor = 1; minor < 500; minor += 1)
    expect(toEuroMinor(minor, 'SEK', '11.3595') + toEuroMinor(-minor, 'SEK', '11.3595')).toBe(0);
});

test.each([
  ['2024-Q1', '2024-03-31'],
  ['2024-Q2', '2024-06-30'],
  ['2024-Q3', '2024-09-30'],
  ['2024-Q4', '2024-12-31'],
])('the last day of %s is %s', (quarter, day) => {
  expect(lastDayOf(quarter)).toBe(day);
  expect(quarterOf(day)).toBe(quarter);
});

test.each(['2024', '2024-Q0', '2024-Q5', '24-Q1', '', ' 2024-Q1', '2024-Q10'])('%j is no quarter', (text) => {
  expect(() => lastDayOf(text)).toThrow(new RangeError(`Not a quarter: ${text}`));
});
