import { AppError } from '../../kit/errors';
import { toMajor } from '../billing/money';

/** What a payer was told is to be paid now, against what is: nobody pays more than was shown. Absent: nothing was told. */
export function refuseDearer(dueMinor: number, currency: string, told: number | undefined): void {
  if (told !== undefined && toMajor(dueMinor, currency) > told) throw new AppError('price_changed');
}
