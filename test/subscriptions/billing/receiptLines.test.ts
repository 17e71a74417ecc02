import { receiptLines } from '../../../src/billing/money';

const linesOf = (priceMinor: number, setupFeeMinor: number, dueMinor: number) =>
  receiptLines({ priceMinor, setupFeeMinor, dueMinor }).lines?.map(({ kind, amountMinor }) => [kind, amountMinor]);

test('a price alone has no lines', () => {
  expect(linesOf(999, 0, 999)).toBeUndefined();
});

test('the setup fee and the discount', () => {
  expect(linesOf(999, 500, 1499)).toEqual([
    ['price', 999],
    ['setupFee', 500],
  ]);
  expect(linesOf(999, 500, 1299)).toEqual([
    ['price', 999],
    ['setupFee', 500],
    ['discount', -200],
  ]);
  expect(linesOf(999, 500, 500)).toEqual([
    ['price', 999],
    ['setupFee', 500],
    ['discount', -999],
  ]);
});

test('parts that do not add up have no lines: more than the price, or less than the setup fee', () => {
  expect(linesOf(999, 0, 1000)).toBeUndefined();
  expect(linesOf(999, 500, 499)).toBeUndefined();
});
