import fc from 'fast-check';
import {
  discounted,
  discountedCharges,
  firstCharge,
  payable,
  reductionOf,
  type Discount,
} from '../../../src/billing/discounts';
import { isChargeable, leastChargeMinor, roundToStep } from '../../../src/billing/dues';
import { currencyExponents, isAmount, maxAmountMinor, toMajor, toMinor } from '../../../src/billing/money';

const price = fc.integer({ min: 0, max: maxAmountMinor });
const percent = fc.integer({ min: 0, max: 100 });
const voucher = (of: Partial<Discount>): Discount => ({
  percent: 25,
  rebillPercent: null,
  period: 'once',
  duration: null,
  ...of,
});

describe('what is left of a price', () => {
  test('lies between nothing and the price, and is all of it or nothing at 0 and 100 percent', () => {
    fc.assert(
      fc.property(price, percent, (minor, off) => {
        const left = discounted(minor, off);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left).toBeLessThanOrEqual(minor);
        expect(discounted(minor, 0)).toBe(minor);
        expect(discounted(minor, 100)).toBe(0);
      }),
    );
  });

  test('is off the exact percentage by at most half a minor unit', () => {
    fc.assert(
      fc.property(price, percent, (minor, off) => {
        const error = BigInt(minor - discounted(minor, off)) * 100n - BigInt(minor) * BigInt(off);
        expect(error >= -50n && error <= 50n).toBe(true);
      }),
    );
  });

  test.each([
    [999, 25, 749],
    [5, 50, 3],
    [15, 50, 7],
    [25, 10, 23],
    [35, 10, 31],
    [1, 50, 1],
    [3, 50, 1],
  ])('%i less %i percent is %i: half a minor unit of discount goes to the even one', (minor, off, left) => {
    expect(discounted(minor, off)).toBe(left);
  });
});

describe('which cycles a voucher reaches', () => {
  const reach = (of: Partial<Discount>) => [1, 2, 3, 4].map((cycle) => reductionOf(voucher(of), cycle));

  test('once: the first charge', () => expect(reach({})).toEqual([25, 0, 0, 0]));
  test('repeating: the first `duration` charges', () =>
    expect(reach({ period: 'repeating', duration: 3 })).toEqual([25, 25, 25, 0]));
  test('forever: all', () => expect(reach({ period: 'forever' })).toEqual([25, 25, 25, 25]));
  test('a rebill percent replaces the discount from the second charge on', () => {
    expect(reach({ rebillPercent: 10 })).toEqual([25, 10, 10, 10]);
    expect(reach({ rebillPercent: 10, period: 'repeating', duration: 2 })).toEqual([25, 10, 0, 0]);
    expect(reach({ rebillPercent: 0, period: 'forever' })).toEqual([25, 0, 0, 0]);
  });
});

describe('the cycles of an amount', () => {
  const reach = (fixed: Discount['fixed'], of: Partial<Discount>) =>
    [1, 2, 3, 4].map((cycle) => reductionOf(voucher({ percent: 0, fixed, ...of }), cycle));
  const [five, two] = [{ minor: 500 }, { minor: 200 }];

  test('are the same as those of a percentage', () => {
    const plain = { minor: 500, rebillMinor: null };
    expect(reach(plain, {})).toEqual([five, 0, 0, 0]);
    expect(reach(plain, { period: 'repeating', duration: 3 })).toEqual([five, five, five, 0]);
    expect(reach(plain, { period: 'forever' })).toEqual([five, five, five, five]);
  });
  test('can have another amount from the second charge on, even 0', () => {
    const lower = { minor: 500, rebillMinor: 200 };
    expect(reach(lower, {})).toEqual([five, two, two, two]);
    expect(reach(lower, { period: 'repeating', duration: 2 })).toEqual([five, two, 0, 0]);
    expect(reach({ minor: 500, rebillMinor: 0 }, { period: 'forever' })).toEqual([five, 0, 0, 0]);
  });
});

test('how many charges a voucher discounts, as clients are told', () => {
  expect(discountedCharges({ period: 'once', duration: null })).toBe(1);
  expect(discountedCharges({ period: 'repeating', duration: 6 })).toBe(6);
  expect(discountedCharges({ period: 'forever', duration: null })).toBe(0);
});

describe('what a charge takes, in every currency', () => {
  const currency = fc.constantFrom(...currencyExponents.keys());

  test('there are currencies of every number of decimals', () => {
    expect([...new Set(currencyExponents.values())].sort()).toEqual([0, 2, 3, 4]);
  });

  test('is an amount of the currency, exact in the major unit, and never more than the price', () => {
    fc.assert(
      fc.property(currency, price, percent, (code, minor, off) => {
        const left = payable(minor, off, code);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left).toBeLessThanOrEqual(minor);
        expect(isAmount(toMajor(left, code), code)).toBe(true);
        expect(toMinor(toMajor(left, code), code)).toBe(left);
      }),
    );
  });

  test('is what the percentage leaves, or nothing where a provider would refuse so little', () => {
    fc.assert(
      fc.property(currency, fc.integer({ min: 0, max: 20_000 }), percent, (code, minor, off) => {
        const left = off > 0 ? roundToStep(discounted(minor, off), code) : minor;
        expect(payable(minor, off, code)).toBe(off > 0 && left < leastChargeMinor(code) ? 0 : left);
      }),
    );
  });

  test('the price minus an amount is zero or chargeable, and never above the price', () => {
    fc.assert(
      fc.property(currency, price, fc.integer({ min: 1, max: maxAmountMinor }), (code, minor, off) => {
        const left = payable(minor, { minor: off }, code);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left).toBeLessThanOrEqual(Math.max(0, minor - off));
        expect(left === 0 || left >= leastChargeMinor(code)).toBe(true);
        expect(roundToStep(left, code)).toBe(left);
        expect(firstCharge(minor, 0, { minor: off }, code)).toBe(left);
      }),
    );
  });

  test('is the price without a discount, however small, and nothing at 100 percent', () => {
    fc.assert(
      fc.property(currency, price, (code, minor) => {
        expect(payable(minor, 0, code)).toBe(minor);
        expect(payable(minor, 100, code)).toBe(0);
      }),
    );
  });

  test('with a setup fee, is nothing or what a provider takes, wherever a voucher counts', () => {
    fc.assert(
      fc.property(currency, price, fc.nat(300), fc.integer({ min: 1, max: 100 }), (code, minor, setup, off) => {
        const first = firstCharge(minor, setup, off, code);
        expect(isChargeable(first, code)).toBe(true);
        expect([0, payable(minor, off, code) + setup]).toContain(first);
        expect(firstCharge(minor, setup, 0, code)).toBe(minor + setup);
      }),
    );
  });

  test('a setup fee of the least amount is charged, and one below it is not', () => {
    expect(firstCharge(999, 50, 100, 'EUR')).toBe(50);
    expect(firstCharge(999, 49, 100, 'EUR')).toBe(0);
    expect(firstCharge(0, 49, 0, 'EUR')).toBe(49);
  });

  test('is never more for a greater discount', () => {
    fc.assert(
      fc.property(currency, price, percent, percent, (code, minor, one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        expect(payable(minor, more, code)).toBeLessThanOrEqual(payable(minor, less, code));
      }),
    );
  });

  test.each([
    ['EUR', 999, 25, 749],
    ['EUR', 100, 51, 0],
    ['EUR', 100, 50, 50],
    ['JPY', 1000, 15, 850],
    ['JPY', 101, 50, 51],
    ['JPY', 90, 50, 0],
    ['KWD', 9990, 25, 7490],
    ['KWD', 1000, 51, 0],
    ['CLF', 100_001, 50, 50_001],
  ])('%s %i less %i percent is %i', (code, minor, off, left) => {
    expect(payable(minor, off, code)).toBe(left);
  });
});
