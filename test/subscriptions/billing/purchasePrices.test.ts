import { type SellableFee } from '../../../src/items/accessFees/accessFees';
import { AppError } from '../../../src/kit/errors';
import { changedPrice, refuseChangedPrice, refuseTooLong } from '../../../src/subscriptions/quotes';
import { firstMinorOf, keptOf, setupFeeOf } from '../../../src/vouchers/prices';

/** What a buyer pays first, and what is refused before it. */

const fee = {
  amountMinor: 1000,
  setupFeeMinor: 300,
  currency: 'EUR',
  quantity: 1,
  period: 'month',
  present: new Date('2026-01-31T10:00Z'),
} as SellableFee;
const discount = { percent: 50, rebillPercent: 10, period: 'repeating', duration: 3 } as const;
const voucher = { voucherId: 7, code: 'HALF', discount, isGift: false };
const gift = { ...voucher, isGift: true };

describe('the first charge', () => {
  test('has the setup fee, unless it is a gift', () => {
    expect(setupFeeOf(fee)).toBe(300);
    expect(setupFeeOf(fee, voucher)).toBe(300);
    expect(setupFeeOf(fee, gift)).toBe(0);
    expect(setupFeeOf({ ...fee, setupFeeMinor: null })).toBe(0);
  });

  test('is the price less the discount, and the setup fee', () => {
    expect(firstMinorOf(fee)).toBe(1300);
    expect(firstMinorOf(fee, voucher)).toBe(800);
    expect(firstMinorOf(fee, gift)).toBe(500);
  });

  test('keeps the terms of the voucher', () => {
    const kept = { voucherId: 7, voucherCode: 'HALF', discountPercent: 50, rebillPercent: 10 };
    const counted = { discountPeriod: 'repeating', discountDuration: 3 };
    expect(keptOf(undefined)).toEqual({});
    expect(keptOf(voucher)).toEqual({ ...kept, ...counted, discountMinor: null, rebillMinor: null });
    const fixed = { ...voucher, discount: { ...discount, fixed: { minor: 200, rebillMinor: 100 } } };
    expect(keptOf(fixed)).toEqual({ ...kept, ...counted, discountMinor: 200, rebillMinor: 100 });
  });
});

describe('the total that the client showed', () => {
  const error = new AppError('price_changed', {
    explain: 'The total is €10.00 now.',
    total: { amount: 10, currency: 'EUR' },
  });

  test.each([
    {},
    { expected_amount: 10 },
    { expected_amount: 10.01 },
    { expected_amount: 10, expected_currency: 'EUR' },
  ])('may be equal or higher: %j', (shown) => expect(() => refuseChangedPrice(1000, 'EUR', shown)).not.toThrow());

  test.each([{ expected_amount: 9.99 }, { expected_amount: 0 }, { expected_currency: 'USD' }])(
    'may not be lower or in another currency: %j',
    (shown) => expect(() => refuseChangedPrice(1000, 'EUR', shown)).toThrow(error),
  );

  test('is corrected by the answer', () =>
    expect(changedPrice(1000, 'EUR')).toMatchObject({ code: 'price_changed', details: error.details }));
});

describe('a period', () => {
  // The last moment that clients can read is 2038-01-19T03:14:07Z.
  test.each(['2037-12-19T03:14:07Z', '2026-01-31T10:00Z'])('from %s is sold', (from) =>
    expect(() => refuseTooLong({ ...fee, present: new Date(from) })).not.toThrow(),
  );

  test('that ends a second too late is refused', () => {
    const late = new Date('2037-12-19T03:14:08Z');
    const text = 'The access would end after 2038-01-19T03:14:07.000Z, the last time that clients can read.';
    const refused = (work: () => void) => {
      try {
        work();
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const expected = { code: 'invalid_input', details: { errors: { access_fee_id: text } } };
    expect(refused(() => refuseTooLong({ ...fee, present: late }))).toMatchObject(expected);
    expect(refused(() => refuseTooLong(fee, late))).toMatchObject(expected);
  });
});
