import fc from 'fast-check';
import { isChargeable, leastChargeMinor, settleDue } from '../../../src/subscriptions/billing/dues';
import { currencyExponents, maxAmountMinor } from '../../../src/subscriptions/billing/money';

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
  ['a due is charged', 999, 0, { chargeMinor: 999, takenMinor: 0, carriedMinor: 0 }],
  ['a credit pays its part', 999, 400, { chargeMinor: 599, takenMinor: 400, carriedMinor: 0 }],
  ['a credit pays all', 999, 1000, { chargeMinor: 0, takenMinor: 999, carriedMinor: 0 }],
  ['a debt is charged with it', 999, -30, { chargeMinor: 1029, takenMinor: -30, carriedMinor: 0 }],
  ['too little is carried', 999, 970, { chargeMinor: 0, takenMinor: 999, carriedMinor: 29 }],
  ['a debt that is still too little waits on', 10, -30, { chargeMinor: 0, takenMinor: 10, carriedMinor: 10 }],
  ['a debt that has grown is charged', 20, -30, { chargeMinor: 50, takenMinor: -30, carriedMinor: 0 }],
])('%s', (_, dueMinor, balanceMinor, settled) => {
  expect(settleDue(dueMinor, balanceMinor, 'EUR')).toEqual(settled);
});

test('no charge is one that a provider refuses, and every unit is charged, taken or owed', () => {
  fc.assert(
    fc.property(currency, due, balance, (code, dueMinor, balanceMinor) => {
      const { chargeMinor, takenMinor, carriedMinor } = settleDue(dueMinor, balanceMinor, code);
      expect(isChargeable(chargeMinor, code)).toBe(true);
      expect(chargeMinor + takenMinor).toBe(dueMinor);
      expect(carriedMinor).toBeGreaterThanOrEqual(0);
      expect(carriedMinor).toBeLessThanOrEqual(dueMinor);
      // What is carried is a debt, or what was owed before: no credit comes of it.
      if (carriedMinor > 0) expect(balanceMinor - takenMinor).toBe(Math.min(0, balanceMinor) - carriedMinor);
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
        expect(balanceMinor).toBeGreaterThan(-leastChargeMinor(code));
      }
      expect(chargedMinor + first - balanceMinor).toBe(sum);
    }),
  );
});
