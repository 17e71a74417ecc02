import fc from 'fast-check';
import {
  type BalancePaid,
  creditOfDispute,
  divideLoss,
  lossOfDispute,
  lossOfRefund,
  paidLess,
} from '../../../src/billing/losses';
import { settleSwitch } from '../../../src/billing/proration';

test.each([
  ['no credit was in use', [100, 0, 0, 0], 0],
  ['the used credit is lost', [100, 0, 40, 0], 40],
  ['the credit that was taken back is no loss', [100, 60, 40, 0], 40],
  ['one unit of it is covered by the own period', [100, 60, 40, 1], 39],
  ['the own period has lost all', [100, 60, 40, 40], 0],
  ['the own period has lost as much as the rest', [100, 0, 40, 60], 40],
  ['and one unit more', [100, 0, 40, 61], 39],
  ['one unit was taken from the balance', [100, 60, 40, 0, 1], 39],
  ['all was taken from the balance', [100, 60, 40, 0, 40], 0],
  ['and one unit more', [100, 60, 40, 0, 41], 0],
  ['what is left of it was taken from the balance', [100, 60, 40, 10, 30], 0],
])(
  'the loss of a refund: %s',
  (_, [amountMinor = 0, creditMinor = 0, excessMinor = 0, loweredMinor = 0, takenMinor = 0], lossMinor) => {
    expect(lossOfRefund({ amountMinor, creditMinor, excessMinor, loweredMinor, takenMinor })).toBe(lossMinor);
  },
);

test.each([
  ['the whole charge', [100, 0], 100, 0, 100],
  ['less its refunds', [100, 30], 100, 0, 70],
  ['a part of the charge', [100, 30], 70, 0, 70],
  ['a smaller part', [100, 30], 69, 0, 69],
  ['more than the charge', [100, 0], 101, 0, 100],
  ['less the credit', [100, 0], 100, 99, 1],
  ['the credit is all', [100, 0], 100, 100, 0],
  ['the credit is more than the disputed part', [100, 0], 40, 41, 0],
  ['nothing is left', [100, 100], 100, 0, 0],
])('the loss of a dispute: %s', (_, [amountMinor = 0, refundedMinor = 0], disputedMinor, creditMinor, lossMinor) => {
  expect(lossOfDispute({ amountMinor, refundedMinor }, disputedMinor, creditMinor)).toBe(lossMinor);
});

test.each([
  ['the whole credit', 40, [100, 0, 0, 0], 40],
  ['as much as the bank took', 40, [40, 0, 0, 0], 40],
  ['the bank took one unit less', 40, [39, 0, 0, 0], 39],
  ['there is no credit', 0, [100, 0, 0, 0], 0],
  ['other periods have lost one unit of it', 40, [100, 0, 1, 0], 39],
  ['other periods have lost all of it', 40, [100, 0, 40, 0], 0],
  ['and one unit more', 40, [100, 0, 41, 0], 0],
  ['the own period has lost the rest of the money', 40, [100, 60, 0, 0], 40],
  ['and one unit of the credit', 40, [100, 61, 0, 0], 39],
  ['the rest was taken before', 40, [100, 0, 0, 60], 40],
  ['all was taken before', 40, [100, 0, 0, 100], 0],
  ['more than all is gone', 40, [100, 50, 20, 40], 0],
])(
  'the credit that a dispute takes back: %s',
  (_, creditedMinor, [disputedMinor = 0, loweredMinor = 0, lostMinor = 0, takenMinor = 0], creditMinor) => {
    expect(creditOfDispute({ disputedMinor, loweredMinor, lostMinor, takenMinor }, creditedMinor)).toBe(creditMinor);
  },
);

const open = (leftMinor: number) => ({ leftMinor });
const of = (id: number, leftMinor: number, paidMinor: number) => ({ leftMinor, period: { id, paidMinor } });

test.each<[string, number, BalancePaid[], number[]]>([
  ['nobody has used it', 5, [], []],
  ['nothing is lost', 0, [open(5)], [0]],
  ['less than the first one', 4, [open(5), open(5)], [4, 0]],
  ['as much as the first one', 5, [open(5), open(5)], [5, 0]],
  ['one unit more', 6, [open(5), open(5)], [5, 1]],
  ['more than all', 11, [open(5), open(5)], [5, 5]],
  ['a period loses at most its paid amount', 5, [of(1, 5, 3), open(5)], [3, 2]],
  ['exactly its paid amount', 5, [of(1, 5, 5), open(5)], [5, 0]],
  ['two charges have paid one period', 5, [of(1, 2, 3), of(1, 5, 3), of(2, 5, 9)], [2, 1, 2]],
])('a loss is divided: %s', (_, lossMinor, charges, parts) => {
  expect(divideLoss(lossMinor, charges)).toEqual(parts);
});

test('no charge loses more than its part, no period more than it has paid, and nothing is lost twice', () => {
  const minor = fc.nat({ max: 20 });
  const charge = fc.record({ leftMinor: minor, id: fc.nat({ max: 2 }), isOpen: fc.boolean() });
  const paid = fc.tuple(minor, minor, minor);
  fc.assert(
    fc.property(minor, fc.array(charge), paid, (lossMinor, found, paidMinors) => {
      const charges = found.map(({ leftMinor, id, isOpen }) =>
        isOpen ? { leftMinor } : { leftMinor, period: { id, paidMinor: paidMinors[id] ?? 0 } },
      );
      const parts = divideLoss(lossMinor, charges);
      const sum = (chosen: number[]) => chosen.reduce((total, part) => total + part, 0);
      expect(sum(parts)).toBeLessThanOrEqual(lossMinor);
      parts.forEach((part, index) => {
        expect(part).toBeGreaterThanOrEqual(0);
        expect(part).toBeLessThanOrEqual(found[index]?.leftMinor ?? 0);
      });
      paidMinors.forEach((paidMinor, id) => {
        const own = parts.filter((_, index) => charges[index]?.period?.id === id);
        expect(sum(own)).toBeLessThanOrEqual(paidMinor);
      });
    }),
  );
});

test.each([
  [10, 0, 10],
  [10, 9, 1],
  [10, 10, 0],
  [10, 11, 0],
])('a period that has paid %i and loses %i has %i', (paidMinor, lostMinor, left) => {
  expect(paidLess(paidMinor, lostMinor)).toBe(left);
});

test.each([
  ['nothing has gone back', [50, 0, 50], 50, [50, 0]],
  ['one unit has gone back: one unit less credit', [50, 0, 50], 49, [49, 0]],
  ['all has gone back: no credit', [50, 0, 50], 0, [0, 0]],
  ['a part of the credit pays the new plan', [50, 20, 30], 20, [0, 20]],
  ['one unit of that part has gone back', [50, 20, 30], 19, [0, 19]],
  ['an upgrade keeps its price, and its time is paid by less', [50, 120, 0], 10, [0, 80]],
  ['a debt for the next invoice stays', [50, 120, -70], 10, [-70, 80]],
  ['without a credit nothing changes', [0, 120, 0], 0, [0, 120]],
])('an agreed change is settled: %s', (_, [creditMinor = 0, chargeMinor = 0, balanceMinor = 0], paidMinor, settled) => {
  const { balanceMinor: moved, paidMinor: left } = settleSwitch({ creditMinor, chargeMinor, balanceMinor }, paidMinor);
  expect([moved, left]).toEqual(settled);
});
