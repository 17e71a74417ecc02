import fc from 'fast-check';
import {
  type BalancePaid,
  creditOfDispute,
  divideLoss,
  lossOfRefund,
  paidLess,
  shareOut,
} from '../../../src/billing/losses';
import { stepMinor } from '../../../src/billing/dues';
import { quoteSwitch, settleSwitch, type LossyTime } from '../../../src/billing/proration';

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

test.each<[string, number, number[], number[]]>([
  ['nothing is lost', 0, [], []],
  ['losses of nothing', 0, [0, 0], [0, 0]],
  ['nothing', 0, [5, 5], [0, 0]],
  ['all', 10, [5, 5], [5, 5]],
  ['in proportion', 6, [10, 20], [2, 4]],
  ['a half is rounded up for the first one', 1, [1, 1], [1, 0]],
  ['the rest is in the last one', 2, [1, 1, 1], [1, 0, 1]],
])('an amount is shared out: %s', (_, amountMinor, losses, parts) => {
  expect(shareOut(amountMinor, losses)).toEqual(parts);
});

test('the shares add up to the amount, and none exceeds its loss', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 }), { minLength: 1 }), fc.nat({ max: 100 }), (losses, percent) => {
      const sumMinor = losses.reduce((sum, loss) => sum + loss, 0);
      const amountMinor = Math.floor((sumMinor * percent) / 100);
      const parts = shareOut(amountMinor, losses);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(amountMinor);
      parts.forEach((part, index) => {
        expect(part).toBeGreaterThanOrEqual(0);
        expect(part).toBeLessThanOrEqual(losses[index] ?? 0);
      });
    }),
  );
});

const from = Date.UTC(2026, 0, 1);
const day = 86_400_000;

/** Ten days that have cost an amount, of which a part is lost. The plan changes after so many days. */
const lossy = (paidMinor: number, lostMinor: number, days: number, currency = 'EUR'): LossyTime => ({
  paid: { paidMinor, currency, fromMs: from, endMs: from + 10 * day, periodStartMs: from },
  lostMinor,
  atMs: from + days * day,
});

// The credit was agreed when half of the time was left, and 100 were paid.
test.each([
  ['nothing has gone back', [50, 0, 50], 100, 0, [50, 0, 0, 0]],
  ['the rest still pays the credit', [50, 0, 50], 50, 50, [50, 0, 0, 0]],
  ['one unit less: one unit less credit', [50, 0, 50], 49, 51, [49, 0, 1, 0]],
  ['all has gone back: no credit', [50, 0, 50], 0, 100, [0, 0, 50, 0]],
  ['a part of the credit pays the new plan', [50, 20, 30], 20, 80, [0, 20, 30, 0]],
  ['one unit of that part has gone back', [50, 20, 30], 19, 81, [0, 19, 30, 1]],
  ['an upgrade keeps its price, and its time is paid by less', [50, 120, 0], 10, 90, [0, 80, 0, 40]],
  ['a debt for the next invoice stays', [50, 120, -70], 10, 90, [-70, 80, 0, 40]],
  ['without a credit nothing changes', [0, 120, 0], 0, 0, [0, 120, 0, 0]],
  ['a loss before the agreement has lowered the credit', [30, 0, 30], 60, 40, [30, 0, 20, 0]],
  ['and one after it lowers it again', [30, 0, 30], 20, 80, [20, 0, 30, 0]],
  ['and one after it lowers the paid amount', [30, 120, 0], 20, 80, [0, 110, 20, 10]],
  ['a loss that was undone meanwhile gives its credit at once', [30, 0, 30], 100, 0, [50, 0, 0, 0]],
  ['and another one keeps its part', [30, 0, 30], 90, 10, [45, 0, 5, 0]],
  ['of which nothing is left after rounding', [30, 0, 30], 99, 1, [50, 0, 0, 0]],
  ['it lowers the debt for the next invoice', [30, 120, -90], 100, 0, [-70, 120, 0, 0]],
])(
  'an agreed change is settled: %s',
  (_, [creditMinor = 0, chargeMinor = 0, balanceMinor = 0], paidMinor, lostMinor, settled) => {
    const after = settleSwitch({ creditMinor, chargeMinor, balanceMinor }, lossy(paidMinor, lostMinor, 5));
    expect([after.balanceMinor, after.paidMinor, after.withheldMinor, after.unpaidMinor]).toEqual(settled);
  },
);

test.each([
  ['at the start, all of it', 0, 40],
  ['at the end, nothing', 10, 0],
  ['after a day, for the other nine', 1, 36],
])('the loss keeps the credit of the time that is left: %s', (_, days, withheldMinor) => {
  const time = lossy(60, 40, days);
  const creditMinor = 6 * (10 - days);
  const settled = settleSwitch({ creditMinor, chargeMinor: 0, balanceMinor: creditMinor }, time);
  expect(settled).toEqual({ balanceMinor: creditMinor, paidMinor: 0, withheldMinor, unpaidMinor: 0 });
});

// Half of the time is left, so that one lost unit decides about a whole step of the credit.
test.each([
  ['KWD', 1000, 1, [500, 1]],
  ['KWD', 1000, 9, [500, 9]],
  ['KWD', 1000, 10, [500, 10]],
  ['KWD', 1001, 19, [510, 0]],
  ['KWD', 1001, 20, [510, 10]],
  ['MGA', 10_000, 1, [5000, 1]],
])(
  'in %s, %i are paid and %i are lost: nothing is restored while the loss stands',
  (of, paid, lost, [credit, withheld]) => {
    const time = lossy(paid, lost, 5, of);
    const settled = settleSwitch({ creditMinor: credit ?? 0, chargeMinor: 0, balanceMinor: credit ?? 0 }, time);
    expect([settled.balanceMinor, settled.withheldMinor]).toEqual([credit, withheld]);
  },
);

/** Amounts between the steps of the currency too: a bank can take any part of a payment back. */
const anyCurrency = fc.constantFrom('EUR', 'KWD', 'MGA');
const anyLoss = fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 10_000 }));

/** The terms of a change to a plan of a price. */
function quoteOf(time: LossyTime, priceMinor: number) {
  const length = { quantity: 1, period: 'month' } as const;
  return quoteSwitch({ priceMinor: 1, ...length }, { priceMinor, ...length }, time.paid, time.atMs, 'now');
}

test('a change that is made as it was agreed moves the agreed amounts', () => {
  const amount = fc.nat({ max: 10_000 });
  fc.assert(
    fc.property(amount, anyLoss, amount, fc.nat({ max: 240 }), anyCurrency, (paid, lost, price, hours, of) => {
      const time = lossy(paid, lost, hours / 24, of);
      const agreed = quoteOf(time, price);
      const settled = settleSwitch(agreed, time);
      expect([settled.balanceMinor, settled.paidMinor]).toEqual([agreed.balanceMinor, agreed.chargeMinor]);
      const whole = quoteOf(lossy(paid + lost, 0, hours / 24, of), price);
      expect(settled.withheldMinor).toBe(Math.min(lost, whole.creditMinor - agreed.creditMinor));
    }),
  );
});

test('after losses that were undone since the agreement, the change gives the credit of an agreement of now', () => {
  const amount = fc.nat({ max: 10_000 });
  const time = fc.record({ hours: fc.nat({ max: 240 }), of: anyCurrency });
  fc.assert(
    fc.property(amount, anyLoss, anyLoss, amount, time, (paid, undone, lost, price, { hours, of }) => {
      const timeOf = (paidMinor: number, lostMinor: number) => lossy(paidMinor, lostMinor, hours / 24, of);
      const agreed = quoteOf(timeOf(paid, undone + lost), price);
      const settled = settleSwitch(agreed, timeOf(paid + undone, lost));
      const now = quoteOf(timeOf(paid + undone, lost), price);
      const creditMinor = agreed.creditMinor + settled.balanceMinor - agreed.balanceMinor;
      expect(creditMinor).toBe(now.creditMinor);
      const whole = quoteOf(timeOf(paid + undone + lost, 0), price);
      expect(creditMinor + settled.withheldMinor).toBe(Math.min(whole.creditMinor, creditMinor + lost));
    }),
  );
});

test('without losses after the agreement, the credit and what is withheld are the credit of the whole price', () => {
  const amount = fc.nat({ max: 10_000 });
  const currency = fc.constantFrom('EUR', 'KWD');
  fc.assert(
    fc.property(amount, amount, amount, fc.nat({ max: 240 }), currency, (paid, lost, price, hours, of) => {
      const step = stepMinor(of);
      const time = lossy(paid * step, lost * step, hours / 24, of);
      const agreed = quoteOf(time, price);
      const settled = settleSwitch(agreed, time);
      const whole = quoteOf(lossy((paid + lost) * step, 0, hours / 24, of), price);
      expect(agreed.creditMinor + settled.withheldMinor).toBe(whole.creditMinor);
      expect(settled).toMatchObject({
        balanceMinor: agreed.balanceMinor,
        paidMinor: agreed.chargeMinor,
        unpaidMinor: 0,
      });
    }),
  );
});

test('what is withheld and what counts as unpaid are never more than the loss, and no credit is more than was paid', () => {
  const amount = fc.nat({ max: 200 });
  fc.assert(
    fc.property(amount, amount, amount, amount, fc.nat({ max: 10 }), (paid, lost, creditMinor, chargeMinor, days) => {
      const quote = { creditMinor, chargeMinor, balanceMinor: Math.max(0, creditMinor - chargeMinor) };
      const { balanceMinor, withheldMinor, unpaidMinor, paidMinor } = settleSwitch(quote, lossy(paid, lost, days));
      expect(Math.min(withheldMinor, unpaidMinor, paidMinor)).toBeGreaterThanOrEqual(0);
      expect(withheldMinor + unpaidMinor).toBeLessThanOrEqual(lost);
      expect(paidMinor + unpaidMinor).toBeLessThanOrEqual(chargeMinor);
      const spentMinor = creditMinor - quote.balanceMinor;
      if (creditMinor <= paid) expect(spentMinor + balanceMinor).toBeLessThanOrEqual(paid);
    }),
  );
});
