import { type AddedTax, dueOf } from '../billing/tax/addedTax';
import { AppError } from '../kit/errors';
import { formatAmount, toMajor } from '../billing/money';
import { type SellableFee } from '../items/accessFees/accessFees';
import { merchantNow } from '../adapters/clock';
import { endOfTime, type PeriodLength, periodEnd } from '../billing/periods';
import { trialEnd } from '../billing/trials';
import { firstMinorOf } from '../vouchers/prices';
import { type AppliedVoucher } from '../vouchers/uses';

/** The total that the client showed. Absent fields are not compared. */
export interface ShownTotal {
  expected_amount?: number | undefined;
  expected_currency?: string | undefined;
}

/**
 * Refuses a purchase that costs more than the payer was shown, or that is in another currency. A lower total is
 * accepted.
 */
export function refuseChangedPrice(dueMinor: number, currency: string, shown: ShownTotal): void {
  const { expected_amount: amount, expected_currency: shownCurrency = currency } = shown;
  const isDearer = amount !== undefined && toMajor(dueMinor, currency) > amount;
  if (isDearer || shownCurrency !== currency) throw changedPrice(dueMinor, currency);
}

/** The error that contains the amount due now. */
export function changedPrice(dueMinor: number, currency: string): AppError {
  const explain = `The total is ${formatAmount(dueMinor, currency)} now.`;
  return new AppError('price_changed', { explain, total: { amount: toMajor(dueMinor, currency), currency } });
}

/** What is due for a first charge, before the customer's balance. It includes the tax. */
export const firstDueOf = (fee: SellableFee, voucher: AppliedVoucher | undefined, addedTax: AddedTax | null): number =>
  dueOf(firstMinorOf(fee, voucher), addedTax, fee.currency);

/** Refuses a period that ends after `endOfTime`. `countsFrom` is the end of the access before it. */
export function refuseTooLong({ present, quantity, period }: SellableFee, countsFrom: Date = present): void {
  if (periodEnd(countsFrom, 1, { quantity, period }) <= endOfTime) return;
  const text = `The access would end after ${endOfTime.toISOString()}, the last time that clients can read.`;
  throw new AppError('invalid_input', { errors: { access_fee_id: text } });
}

/** The time of the next charge if the purchase is made now: the first renewal, or the first payment at the end of the trial. */
export async function quoteNextCharge(
  merchantId: number,
  { period, trial }: { period: PeriodLength; trial: PeriodLength | undefined },
): Promise<Date> {
  const now = await merchantNow(merchantId);
  return trial ? trialEnd(now, trial) : periodEnd(now, 1, period);
}
