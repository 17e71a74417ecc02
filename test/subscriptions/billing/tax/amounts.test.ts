import fc from 'fast-check';
import { maxAmountMinor } from '../../../../src/billing/money';
import { taxOfRefund, taxOnTop, taxWithin } from '../../../../src/billing/tax/amounts';

const amount = fc.integer({ min: 0, max: maxAmountMinor });
const rate = fc.integer({ min: 0, max: 30_000 });

describe('a price that includes tax', () => {
  test.each([
    ['119.00 EUR at 19 %', 11_900, 19_000, 1900],
    ['9.99 EUR at 19 %', 999, 19_000, 160],
    ['1,100 yen at 10 %', 1100, 10_000, 100],
    ['1.050 dinars at 5 %', 1050, 5000, 50],
    ['half a cent is rounded up', 3, 20_000, 1],
    ['nothing', 0, 19_000, 0],
    ['no tax', 999, 0, 0],
  ])('%s', (_, gross, milliPercent, tax) => {
    expect(taxWithin(gross, milliPercent)).toEqual({ grossMinor: gross, taxMinor: tax, netMinor: gross - tax });
  });

  test('net + tax = gross, and the tax on the net amount differs by at most one unit', () => {
    fc.assert(
      fc.property(amount, rate, (gross, milliPercent) => {
        const { netMinor, taxMinor, grossMinor } = taxWithin(gross, milliPercent);
        expect(netMinor + taxMinor).toBe(gross);
        expect(grossMinor).toBe(gross);
        expect(netMinor).toBeGreaterThanOrEqual(0);
        expect(Math.abs(taxOnTop(netMinor, milliPercent).taxMinor - taxMinor)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('a price without tax', () => {
  test('net + tax = gross, and the tax within it is the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), rate, (net, milliPercent) => {
        const sum = taxOnTop(net, milliPercent);
        expect(sum.netMinor + sum.taxMinor).toBe(sum.grossMinor);
        expect(taxWithin(sum.grossMinor, milliPercent)).toEqual(sum);
      }),
    );
  });
});

describe('the tax of refunds', () => {
  test('a third of 10.00 EUR at 19 %, three times', () => {
    const charged = taxWithin(1000, 19_000);
    const parts = [333, 333, 334].map((minor, i) => taxOfRefund(charged, i * 333, minor).taxMinor);
    expect(charged.taxMinor).toBe(160);
    expect(parts).toEqual([53, 54, 53]);
  });

  test('the refunds of a whole charge return exactly its tax and its net amount, in whatever parts', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(parts, rate, (refunds, milliPercent) => {
        const gross = refunds.reduce((sum, minor) => sum + minor, 0);
        const charged = taxWithin(gross, milliPercent);
        let earlier = 0;
        let [tax, net] = [0, 0];
        for (const minor of refunds) {
          const refund = taxOfRefund(charged, earlier, minor);
          expect(refund.netMinor + refund.taxMinor).toBe(minor);
          expect(refund.taxMinor).toBeGreaterThanOrEqual(0);
          earlier += minor;
          tax += refund.taxMinor;
          net += refund.netMinor;
        }
        expect([tax, net]).toEqual([charged.taxMinor, charged.netMinor]);
      }),
    );
  });

  test('a charge of nothing has no tax to return', () => {
    expect(taxOfRefund({ taxMinor: 0, grossMinor: 0 }, 0, 0).taxMinor).toBe(0);
  });
});
