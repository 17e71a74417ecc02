import { AppError } from '../kit/errors';
import { toMajor } from '../billing/money';
import { type SellableFee } from '../items/accessFees/accessFees';
import { endOfTime, periodEnd } from '../billing/periods';

/**
 * Refuses a purchase that costs more than the payer was shown; undefined if the client did not send the shown price.
 */
export function refuseDearer(dueMinor: number, currency: string, shown: number | undefined): void {
  if (shown !== undefined && toMajor(dueMinor, currency) > shown) throw new AppError('price_changed');
}

/** Refuses a period that ends after `endOfTime`. `countsFrom` is the end of the access that it follows. */
export function refuseTooLong({ present, quantity, period }: SellableFee, countsFrom: Date = present): void {
  if (periodEnd(countsFrom, 1, { quantity, period }) <= endOfTime) return;
  const text = `The access would end after ${endOfTime.toISOString()}, the last time that clients can read.`;
  throw new AppError('invalid_input', { errors: { access_fee_id: text } });
}
