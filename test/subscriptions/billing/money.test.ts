import fc from 'fast-check';
import {
  amountText,
  currencyExponent,
  currencyExponents,
  formatAmount,
  isAmount,
  isCurrency,
  maxAmountMinor,
  settledPart,
  toMajor,
  floorMinor,
  toMinor,
} from '../../../src/billing/money';

const currencyCodes = [...currencyExponents.keys()];
const anyCurrency = fc.constantFrom(...currencyCodes);
const anyMinor = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: maxAmountMinor }));

describe('currencies', () => {
  test.each([
    ['EUR', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['CLF', 4],
    ['HUF', 2],
    ['IQD', 3],
  ])('%s has %i decimals by ISO 4217', (code, exponent) => {
    expect(currencyExponent(code)).toBe(exponent);
  });

  test('the list has all active codes: 165', () => {
    expect(currencyCodes).toHaveLength(165);
    expect(currencyCodes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });

  test.each(['eur', 'EURO', '', 'XXX', 'XAU', 'DEM', 'toString'])('%p is refused: it is no active currency', (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(() => currencyExponent(code)).toThrow(new RangeError(`Not an ISO 4217 currency: ${code}`));
  });
});

describe('major and minor units', () => {
  test('every amount of every currency survives the way out and back', () => {
    for (const currency of currencyCodes)
      fc.assert(
        fc.property(anyMinor, (minor) => {
          expect(toMinor(toMajor(minor, currency), currency)).toBe(minor);
          expect(toMinor(Number(amountText(minor, currency)), currency)).toBe(minor);
        }),
        { numRuns: 50 },
      );
  });

  test('an amount with one decimal too many is refused in every currency', () => {
    fc.assert(
      fc.property(
        anyCurrency,
        fc.integer({ min: 0, max: 1_000_000_000 }),
        fc.integer({ min: 1, max: 9 }),
        (code, minor, d) => {
          const tooFine = Number(`${minor * 10 + d}e-${currencyExponent(code) + 1}`);
          expect(isAmount(tooFine, code)).toBe(false);
          expect(() => toMinor(tooFine, code)).toThrow(RangeError);
        },
      ),
    );
  });

  test.each([
    [9.99, 'EUR', 999],
    [0, 'EUR', 0],
    [-0, 'EUR', 0],
    [1.1, 'USD', 110],
    [0.29, 'USD', 29],
    [1.005, 'KWD', 1005],
    [1000, 'JPY', 1000],
    [0.0001, 'CLF', 1],
    [9_999_999_999_999.99, 'EUR', maxAmountMinor],
  ])('%d %s is %i minor units', (major, currency, minor) => {
    expect(toMinor(major, currency)).toBe(minor);
  });

  test.each([
    [9.999, 'EUR'],
    [0.1 + 0.2, 'EUR'],
    [0.5, 'JPY'],
    [1e-7, 'CLF'],
    [-1, 'EUR'],
    [-0.01, 'EUR'],
    [10_000_000_000_000, 'EUR'],
    [1e300, 'EUR'],
    [Number.NaN, 'EUR'],
    [Number.POSITIVE_INFINITY, 'EUR'],
  ])('%d %s is refused, never rounded', (major, currency) => {
    expect(isAmount(major, currency)).toBe(false);
    expect(() => toMinor(major, currency)).toThrow(new RangeError(`Not an amount in ${currency}: ${major}`));
  });
});

describe('texts', () => {
  test.each([
    [999, 'EUR', '9.99', '€9.99'],
    [900, 'EUR', '9.00', '€9.00'],
    [5, 'USD', '0.05', '$0.05'],
    [1000, 'JPY', '1000.00', '¥1,000'],
    [1234, 'KWD', '1.234', 'KWD\u00a01.234'],
    [123456789, 'USD', '1234567.89', '$1,234,567.89'],
    [150, 'HUF', '1.50', 'HUF\u00a01.50'],
    [maxAmountMinor, 'EUR', '9999999999999.99', '€9,999,999,999,999.99'],
  ])('%i minor units of %s: %s in notifications, %s for people', (minor, currency, text, formatted) => {
    expect(amountText(minor, currency)).toBe(text);
    expect(formatAmount(minor, currency)).toBe(formatted);
  });

  test('each amount has at least two decimals in notifications, and all of its digits', () => {
    fc.assert(
      fc.property(anyCurrency, anyMinor, (currency, minor) => {
        const exponent = currencyExponent(currency);
        const [whole = '', decimals = ''] = amountText(minor, currency).split('.');
        expect(decimals).toHaveLength(Math.max(2, exponent));
        expect(BigInt(whole + decimals)).toBe(BigInt(minor) * 10n ** BigInt(decimals.length - exponent));
      }),
    );
  });
});

test.each([
  [0, undefined],
  [1, { kind: 'credit', amountMinor: 1 }],
  [-1, { kind: 'debt', amountMinor: 1 }],
])('a change of the balance by %i is settled as %j', (balanceMinor, settled) =>
  expect(settledPart(balanceMinor)).toEqual(settled),
);

test.each([
  [0, 'EUR', 0],
  [9.99, 'EUR', 999],
  [9.994, 'EUR', 999],
  [9.995, 'EUR', 999],
  [9.999, 'EUR', 999],
  [0.29, 'EUR', 29],
  [1.15, 'EUR', 115],
  [1000, 'JPY', 1000],
  [999.9, 'JPY', 999],
  [1.2345, 'KWD', 1234],
])('floorMinor: %d %s is %d, and never more than what was shown', (major, currency, minor) => {
  expect(floorMinor(major, currency)).toBe(minor);
});
