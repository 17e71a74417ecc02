import { type Reduction } from '../../../src/billing/discounts';
import { receiptLines } from '../../../src/billing/invoiceLines';

interface Terms {
  setupFeeMinor?: number;
  balanceMinor?: number;
  reduction?: Reduction;
}

/** A price of €9.99, in minor units. */
function linesOf(amountMinor: number, { setupFeeMinor = 0, balanceMinor = 0, reduction = 0 }: Terms = {}) {
  const price = { amountMinor, balanceMinor, priceMinor: 999, setupFeeMinor, reduction, currency: 'EUR' };
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
