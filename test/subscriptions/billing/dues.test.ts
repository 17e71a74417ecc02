import fc from 'fast-check';
import {
  creditLeft,
  isChargeable,
  leastChargeMinor,
  refundableMinor,
  roundToStep,
  settleDue,
  stepMinor,
} from '../../../src/billing/dues';
import { currencyExponents, maxAmountMinor } from '../../../src/billing/money';

const currency = fc.constantFrom(...currencyExponents.keys());
const due = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: maxAmountMinor }));
const balance = fc.integer({ min: -2_000, max: 2_000 });

test.each([
  ['EUR', 50],
  ['GBP', 30],
  ['HUF', 17_500],
  ['JPY', 50],
  ['KWD', 500],
])('the least charge in %s is %i minor units', (code, least) => {
  expect(leastChargeMinor(code)).toBe(least);
});

test.each([
  ['a due is charged', 999, 0, { chargeMinor: 999, takenMinor: 0 }],
  ['a credit pays its part', 999, 400, { chargeMinor: 599, takenMinor: 400 }],
  ['a credit pays all', 999, 1000, { chargeMinor: 0, takenMinor: 999 }],
  ['a debt is charged with it', 999, -30, { chargeMinor: 1029, takenMinor: -30 }],
  ['too little is carried', 999, 970, { chargeMinor: 0, takenMinor: 999 }],
  ['a debt that is still too little waits on', 10, -30, { chargeMinor: 0, takenMinor: 10 }],
  ['a debt that has grown is charged', 20, -30, { chargeMinor: 50, takenMinor: -30 }],
])('%s', (_, dueMinor, balanceMinor, settled) => {
  expect(settleDue(dueMinor, balanceMinor, 'EUR')).toEqual(settled);
});

test.each([
  ['what is above the last step is carried', 1239, 0, { chargeMinor: 1230, takenMinor: 9 }],
  ['a credit between two steps pays up to the next', 1230, 5, { chargeMinor: 1220, takenMinor: 10 }],
  ['a debt between two steps is charged up to the last', 1230, -15, { chargeMinor: 1240, takenMinor: -10 }],
])('in steps of ten: %s', (_, dueMinor, balanceMinor, settled) => {
  expect(settleDue(dueMinor, balanceMinor, 'KWD')).toEqual(settled);
});

test('every charge is one that a provider accepts, and every unit is charged, paid by credit or owed', () => {
  fc.assert(
    fc.property(currency, due, balance, (code, dueMinor, balanceMinor) => {
      const { chargeMinor, takenMinor } = settleDue(dueMinor, balanceMinor, code);
      expect(isChargeable(chargeMinor, code)).toBe(true);
      expect(roundToStep(chargeMinor, code)).toBe(chargeMinor);
      expect(chargeMinor + takenMinor).toBe(dueMinor);
      // A credit pays no more than the due, and a charge makes no credit.
      expect(takenMinor).toBeLessThanOrEqual(dueMinor);
      expect(balanceMinor - takenMinor).toBeLessThanOrEqual(Math.max(0, balanceMinor));
    }),
  );
});

test('over any number of dues all is charged in the end but less than the least charge', () => {
  fc.assert(
    fc.property(currency, fc.array(fc.integer({ min: 0, max: 300 })), balance, (code, dues, first) => {
      let [balanceMinor, chargedMinor, sum] = [first, 0, 0];
      for (const dueMinor of dues) {
        const { chargeMinor, takenMinor } = settleDue(dueMinor, balanceMinor, code);
        balanceMinor -= takenMinor;
        chargedMinor += chargeMinor;
        sum += dueMinor;
        expect(balanceMinor).toBeGreaterThan(-Math.max(leastChargeMinor(code), stepMinor(code)));
      }
      expect(chargedMinor + first - balanceMinor).toBe(sum);
    }),
  );
});

test.each([
  ['nothing became credit: all that did not go back', [1000, 300, 0], 500, 700, 0],
  ['the credit is unused: it is taken back first', [1000, 0, 990], 990, 1000, 990],
  ['the credit is used: the rest', [1000, 0, 990], 0, 10, 0],
  ['a part of the credit is used', [1000, 0, 990], 400, 410, 400],
  ['a debt is no credit', [1000, 0, 990], -400, 10, 0],
  ['nothing is left', [1000, 1000, 0], 0, 0, 0],
] as const)('refundable: %s', (_, [amountMinor, refundedMinor, creditedMinor], balanceMinor, left, credit) => {
  const charge = { amountMinor, refundedMinor, creditedMinor };
  expect([refundableMinor(charge, balanceMinor), creditLeft(charge, balanceMinor)]).toEqual([left, credit]);
});
