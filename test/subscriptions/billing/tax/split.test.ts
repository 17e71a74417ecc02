import fc from 'fast-check';
import { taxWithin } from '../../../../src/billing/tax/amounts';
import { splitTax } from '../../../../src/billing/tax/split';

test.each([
  ['one line has all of it', 119, 19_000, [119], [19]],
  ['the largest remainder gets the missing unit', 10, 20_000, [3, 3, 4], [1, 0, 1]],
  ['a discount returns its share', 450, 19_000, [900, -450], [144, -72]],
  ['no tax', 100, 0, [60, 40], [0, 0]],
  ['lines that cancel each other out', 0, 19_000, [100, -100], [0, 0]],
  ['of equal remainders, the first line gets the missing unit', 3, 50_000, [1, 1, 1], [1, 0, 0]],
])('%s', (_, gross, rate, lines, taxes) => {
  const split = splitTax(taxWithin(gross, rate), lines);
  expect(split.map(({ taxMinor }) => taxMinor)).toEqual(taxes);
});

test('the lines add up to the document, and each is within one unit of its share', () => {
  const line = fc.integer({ min: -1_000_000, max: 10_000_000 });
  const rate = fc.integer({ min: 0, max: 30_000 });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), rate, (lines, milliPercent) => {
      const gross = lines.reduce((sum, each) => sum + each, 0);
      fc.pre(gross > 0);
      const whole = taxWithin(gross, milliPercent);
      const split = splitTax(whole, lines);
      expect(split.reduce((sum, { taxMinor }) => sum + taxMinor, 0)).toBe(whole.taxMinor);
      expect(split.reduce((sum, { netMinor }) => sum + netMinor, 0)).toBe(whole.netMinor);
      for (const { netMinor, taxMinor, grossMinor } of split) {
        expect(netMinor + taxMinor).toBe(grossMinor);
        expect(Math.abs(taxMinor - (whole.taxMinor * grossMinor) / gross)).toBeLessThan(1.000_001);
      }
    }),
  );
});

test('lines that do not add up are refused', () => {
  expect(() => splitTax({ taxMinor: 19, grossMinor: 119 }, [118])).toThrow('the lines do not add up');
});
