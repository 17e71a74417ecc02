import {
  discountedPrice,
  firstAmount,
  nextCharge,
  noCharge,
  reductionOfCharge,
  setupOf,
} from '../../../src/subscriptions/lifecycle/prices';

/** The prices of a subscription's charges, by its voucher and the offer that its customer has accepted. */

const row = {
  currency: 'EUR',
  priceMinor: 1000,
  setupFeeMinor: 300,
  addedTax: null,
  discountPercent: null,
  rebillPercent: null,
  discountMinor: null,
  rebillMinor: null,
  discountPeriod: null,
  discountDuration: null,
};
const repeating = { ...row, discountPercent: 50, discountPeriod: 'repeating', discountDuration: 2 } as const;
const fixed = { ...row, discountPercent: 0, discountMinor: 200, discountPeriod: 'forever' } as const;
const offer = { offerPercent: 25, offerFrom: 3, offerTo: 4 };

describe('the discount on a charge', () => {
  test.each([
    ['without a voucher', row, [0, 0]],
    ['of a voucher for two charges', repeating, [50, 50, 0]],
    ['of a voucher with another rest', { ...repeating, rebillPercent: 20 }, [50, 20, 0]],
    ['of a voucher for an amount', fixed, [{ minor: 200 }, { minor: 200 }]],
    ['of a voucher with another amount', { ...fixed, rebillMinor: 100 }, [{ minor: 200 }, { minor: 100 }]],
    ['of a voucher without a period', { ...repeating, discountPeriod: null }, [0, 0]],
    ['of an offer for the third and the fourth charge', { ...row, ...offer }, [0, 0, 25, 25, 0]],
    ['of an offer in place of the voucher', { ...repeating, ...offer, offerFrom: 2 }, [50, 25, 25, 25, 0]],
    ['of an offer without a first charge', { ...row, ...offer, offerFrom: null }, [0, 0, 0]],
    ['of an offer without a last charge', { ...row, ...offer, offerTo: null }, [0, 0, 0, 0]],
    ['of an offer without a percentage', { ...repeating, ...offer, offerPercent: null, offerFrom: 1 }, [50, 50, 0]],
    ['of an offer of nothing', { ...repeating, ...offer, offerPercent: 0, offerFrom: 1 }, [50, 50, 0]],
  ])('%s', (_, terms, reductions) =>
    expect(reductions.map((__, index) => reductionOfCharge(terms, index + 1))).toEqual(reductions),
  );

  test('is none for no charge', () => {
    expect(reductionOfCharge(repeating, noCharge)).toBe(0);
    expect(reductionOfCharge({ ...repeating, ...offer }, noCharge)).toBe(0);
  });
});

test('a period costs the price less the discount, without the setup fee', () => {
  expect(discountedPrice(repeating, 1)).toBe(500);
  expect(discountedPrice(repeating, 3)).toBe(1000);
  expect(discountedPrice(repeating, 1, 400)).toBe(200);
  expect(discountedPrice(repeating, noCharge)).toBe(1000);
});

test('the first charge includes the setup fee, and later ones do not', () => {
  expect(firstAmount(repeating)).toBe(800);
  expect(setupOf({ ...repeating, discountCycle: 0 })).toBe(300);
  expect(setupOf({ ...repeating, discountCycle: 1 })).toBe(0);
  expect([0, 1, 2].map((discountCycle) => nextCharge({ ...repeating, discountCycle }))).toEqual([800, 500, 1000]);
});
