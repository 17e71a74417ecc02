import { applicationFee } from '../../../src/billing/applicationFees';

const none = new Map<string, number>();

test('the percentage and the fixed part are rounded once, half up', () => {
  const fixed = new Map([['EUR', 0.25]]);
  expect(applicationFee({ percent: 10, fixed }, 999, 'EUR')).toBe(125);
  expect(applicationFee({ percent: 10, fixed: none }, 995, 'EUR')).toBe(100);
  expect(applicationFee({ percent: 10, fixed: none }, 994, 'EUR')).toBe(99);
  expect(applicationFee({ percent: 0.05, fixed: none }, 1000, 'EUR')).toBe(1);
  expect(applicationFee({ percent: 0.04, fixed: none }, 1000, 'EUR')).toBe(0);
});

test('a fixed part counts for its own currency only', () => {
  const fixed = new Map([['EUR', 0.25]]);
  expect(applicationFee({ percent: 0, fixed }, 999, 'USD')).toBe(0);
  expect(applicationFee({ percent: 0, fixed }, 999, 'EUR')).toBe(25);
});

test('never more than the payment', () => {
  expect(applicationFee({ percent: 100, fixed: new Map([['EUR', 1]]) }, 50, 'EUR')).toBe(50);
  expect(applicationFee({ percent: 100, fixed: none }, 999, 'EUR')).toBe(999);
});

test('an amount that the provider can charge, in currencies without and with three decimals', () => {
  expect(applicationFee({ percent: 2.5, fixed: none }, 980, 'JPY')).toBe(25);
  expect(applicationFee({ percent: 2.5, fixed: none }, 1990, 'KWD')).toBe(50);
  expect(applicationFee({ percent: 2.5, fixed: none }, 980, 'MGA')).toBe(0);
});

test('the largest amount is exact', () => {
  expect(applicationFee({ percent: 33.33, fixed: none }, 999_999_999_999_999, 'EUR')).toBe(333_300_000_000_000);
});
