import { type Reduction } from '../../../src/billing/discounts';
import { linesOfCharge, receiptLines, reductionOfAmount } from '../../../src/billing/invoiceLines';

interface Terms {
  setupFeeMinor?: number;
  balanceMinor?: number;
  reduction?: Reduction;
}

/** A price of €9.99, in minor units. */
function linesOf(amountMinor: number, { setupFeeMinor = 0, balanceMinor = 0, reduction = 0 }: Terms = {}) {
  const price = {
    amountMinor,
    balanceMinor,
    priceMinor: 999,
    setupFeeMinor,
    reduction,
    currency: 'EUR',
    addedTax: null,
  };
  return receiptLines(price).lines?.map(({ kind, grossMinor }) => [kind, grossMinor]);
}

test('a price alone has no lines', () => {
  expect(linesOf(999)).toBeUndefined();
});

test('the setup fee and the discount', () => {
  expect(linesOf(1499, { setupFeeMinor: 500 })).toEqual([
    ['item', 999],
    ['setup_fee', 500],
  ]);
  expect(linesOf(1299, { setupFeeMinor: 500, reduction: { minor: 200 } })).toEqual([
    ['item', 999],
    ['discount', -200],
    ['setup_fee', 500],
  ]);
  expect(linesOf(500, { setupFeeMinor: 500, reduction: 100 })).toEqual([
    ['item', 999],
    ['discount', -999],
    ['setup_fee', 500],
  ]);
});

test('the balance has no line, because the receipt states it elsewhere', () => {
  expect(linesOf(699, { balanceMinor: 300 })).toBeUndefined();
  expect(linesOf(1199, { balanceMinor: 300, setupFeeMinor: 500 })).toEqual([
    ['item', 999],
    ['setup_fee', 500],
  ]);
});

test('an amount that the price and the discount do not explain has no lines', () => {
  expect(linesOf(1000)).toBeUndefined();
  expect(linesOf(998)).toBeUndefined();
  expect(linesOf(499, { setupFeeMinor: 500 })).toBeUndefined();
});

test('a price that is charged in full in spite of a discount has no line for it', () =>
  expect(linesOf(1499, { setupFeeMinor: 500, reduction: 50 })).toEqual([
    ['item', 999],
    ['setup_fee', 500],
  ]));

describe('the lines of an invoice add up to its amount', () => {
  const price = { priceMinor: 999, setupFeeMinor: 500, reduction: 0, currency: 'EUR', addedTax: null };
  const item = { kind: 'item', grossMinor: 999 };
  const setupFee = { kind: 'setup_fee', grossMinor: 500 };

  test('with a balance that was used, or a debt that was collected', () => {
    expect(linesOfCharge({ ...price, amountMinor: 1199, balanceMinor: 300 })).toEqual([
      ...[item, setupFee],
      { kind: 'balance', grossMinor: -300 },
    ]);
    expect(linesOfCharge({ ...price, amountMinor: 1799, balanceMinor: -300 })).toEqual([
      ...[item, setupFee],
      { kind: 'balance', grossMinor: 300 },
    ]);
    expect(linesOfCharge({ ...price, amountMinor: 1499, balanceMinor: 0 })).toEqual([item, setupFee]);
  });

  test('with one line, if the price and the discount do not explain the amount', () => {
    expect(linesOfCharge({ ...price, amountMinor: 700, balanceMinor: 300 })).toEqual([
      { kind: 'item', grossMinor: 1000 },
      { kind: 'balance', grossMinor: -300 },
    ]);
    expect(linesOfCharge({ ...price, amountMinor: 0, balanceMinor: 0 })).toEqual([]);
  });
});

test('the discount of an offer explains the amounts that have it, and that of the voucher the others', () => {
  const price = { balanceMinor: 0, priceMinor: 999, setupFeeMinor: 0, currency: 'EUR', addedTax: null };
  const discounts = { discountPercent: 20, discountMinor: null, offerPercent: 50 };
  const of = (amountMinor: number) => reductionOfAmount({ ...price, ...discounts, amountMinor });
  expect(of(499)).toEqual({ reduction: 50, isOffer: true });
  expect(of(799)).toEqual({ reduction: 20, isOffer: false });
  expect(reductionOfAmount({ ...price, ...discounts, amountMinor: 499, offerPercent: null })).toEqual({
    reduction: 20,
    isOffer: false,
  });
  const fixed = { discountPercent: 0, discountMinor: 200, offerPercent: 100 };
  expect(reductionOfAmount({ ...price, ...fixed, amountMinor: 0 })).toEqual({ reduction: 100, isOffer: true });
  expect(reductionOfAmount({ ...price, ...fixed, amountMinor: 199, balanceMinor: 600 })).toEqual({
    reduction: { minor: 200 },
    isOffer: false,
  });
  const paid = { ...price, ...discounts, setupFeeMinor: 500, balanceMinor: 300 };
  expect(reductionOfAmount({ ...paid, amountMinor: 699 })).toEqual({ reduction: 50, isOffer: true });
});
