import fc from 'fast-check';
import { payable } from '../../../../src/billing/discounts';
import { stepMinor } from '../../../../src/billing/dues';
import { linesOfCharge } from '../../../../src/billing/invoiceLines';
import { quoteSwitch } from '../../../../src/billing/proration';
import { type AddedTax, dueOf } from '../../../../src/billing/tax/addedTax';
import { taxWithin } from '../../../../src/billing/tax/amounts';

/** What is due for a price to which the tax is added, in minor units. */

const taxOf = (milliPercent: number): AddedTax => ({
  treatment: 'domestic',
  country: 'DE',
  milliPercent,
  isProved: true,
  kind: 'standard',
  evidence: {},
});

test.each([
  ['9.99 EUR at 19 %', 999, 19_000, 'EUR', 1189],
  ['half a cent is rounded up', 50, 19_000, 'EUR', 60],
  ['less than half a cent is rounded down', 2, 19_000, 'EUR', 2],
  ['one cent at 19 %', 1, 19_000, 'EUR', 1],
  ['one cent at 50 %', 1, 50_000, 'EUR', 2],
  ['no tax', 999, 0, 'EUR', 999],
  ['a free first period', 0, 19_000, 'EUR', 0],
  ['105 yen at 10 %: half a yen is rounded up', 105, 10_000, 'JPY', 116],
  ['104 yen at 10 %', 104, 10_000, 'JPY', 114],
  ['1.050 dinars at 5 %: down to a step of 10 fils', 1050, 5000, 'KWD', 1100],
  ['9.990 dinars at 5 %: half a fils is rounded up, to a step', 9990, 5000, 'KWD', 10_490],
])('%s', (_, price, milliPercent, currency, due) => {
  expect(dueOf(price, taxOf(milliPercent), currency)).toBe(due);
});

test('a price that includes tax is due as it is', () => expect(dueOf(1055, null, 'KWD')).toBe(1055));

const price = fc.integer({ min: 0, max: 100_000_000 });
const rate = fc.integer({ min: 0, max: 60_000 });

test('the tax within a due amount is the tax that was added, and the rest is the price', () => {
  fc.assert(
    fc.property(price, rate, (net, milliPercent) => {
      expect(taxWithin(dueOf(net, taxOf(milliPercent), 'EUR'), milliPercent).netMinor).toBe(net);
    }),
  );
});

test('a due amount can be charged, and is less than a step below the price with its tax', () => {
  fc.assert(
    fc.property(price, rate, fc.constantFrom('KWD', 'MGA', 'JPY', 'EUR'), (net, milliPercent, currency) => {
      const due = dueOf(net, taxOf(milliPercent), currency);
      const exact = net + (net * milliPercent) / 100_000;
      expect(due % stepMinor(currency)).toBe(0);
      expect(exact - due).toBeLessThan(stepMinor(currency));
      expect(due - exact).toBeLessThanOrEqual(0.5);
    }),
  );
});

describe('the lines of a charge', () => {
  const terms = { priceMinor: 1000, setupFeeMinor: 333, reduction: 50, currency: 'EUR', addedTax: taxOf(19_000) };

  test('have the net prices, and their tax adds up', () => {
    expect(linesOfCharge({ ...terms, amountMinor: 991, balanceMinor: 0 })).toEqual([
      { kind: 'item', grossMinor: 1190, taxMinor: 190 },
      { kind: 'discount', grossMinor: -595, taxMinor: -95 },
      { kind: 'setup_fee', grossMinor: 396, taxMinor: 63 },
    ]);
  });

  test('of a part of a period are one line, and the balance is money with tax', () => {
    expect(linesOfCharge({ ...terms, amountMinor: 119, balanceMinor: 119 })).toEqual([
      { kind: 'item', grossMinor: 238, taxMinor: 38 },
      { kind: 'balance', grossMinor: -119 },
    ]);
  });

  test('of nothing are none', () => {
    expect(linesOfCharge({ ...terms, setupFeeMinor: 0, amountMinor: 0, balanceMinor: 0 })).toEqual([]);
  });

  test('add up to what is due, whatever the price, the discount and the rate', () => {
    const percent = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 1_000_000 }), price, percent, rate, (priceMinor, setup, off, milli) => {
        const net = payable(priceMinor, off, 'EUR') + setup;
        const addedTax = taxOf(milli);
        const amountMinor = dueOf(net, addedTax, 'EUR');
        const of = { priceMinor, setupFeeMinor: setup, reduction: off, currency: 'EUR', addedTax };
        const lines = linesOfCharge({ ...of, amountMinor, balanceMinor: 0 });
        const sum = (part: (line: (typeof lines)[number]) => number) => lines.reduce((all, one) => all + part(one), 0);
        expect(sum(({ grossMinor }) => grossMinor)).toBe(amountMinor);
        expect(sum(({ taxMinor = 0 }) => taxMinor)).toBe(amountMinor - net);
        expect(sum(({ grossMinor, taxMinor = 0 }) => grossMinor - taxMinor)).toBe(net);
      }),
    );
  });
});

describe('a plan change', () => {
  const day = 86_400_000;
  const monthly = { quantity: 1, period: 'month' } as const;
  const paid = { paidMinor: 1190, currency: 'EUR', fromMs: 0, endMs: 30 * day, periodStartMs: 0 };
  const [from, to] = [
    { ...monthly, priceMinor: 1000 },
    { ...monthly, priceMinor: 2000, addedTax: taxOf(21_000) },
  ];

  test('credits a share of what was paid, and adds the tax of now to the new price', () => {
    expect(quoteSwitch(from, to, paid, 15 * day, 'now')).toMatchObject({
      ...{ creditMinor: 595, chargeMinor: 1210, totalMinor: 615, balanceMinor: 0 },
    });
    expect(quoteSwitch(from, to, paid, 15 * day, 'next_invoice')).toMatchObject({ totalMinor: 0, balanceMinor: -615 });
    expect(quoteSwitch(from, to, paid, 0, 'reset')).toMatchObject({ creditMinor: 1190, chargeMinor: 2420 });
  });

  test('compares the plans by their prices without tax', () => {
    expect(quoteSwitch(from, { ...to, priceMinor: 1000 }, paid, 15 * day).mode).toBe('now');
    expect(quoteSwitch(from, { ...to, priceMinor: 999 }, paid, 15 * day).mode).toBe('next_period');
  });
});
