import { type Transaction } from '../../../adapters/postgres/connection';
import { createGift, type NewGift } from '../../../vouchers/gifts/service';
import { confirmVoucher } from '../../../vouchers/uses/service';

/** What vouchers and gifts do to one-time payments and refunds: the only place where payments meet them. */

export { refundGift as killGift, reviveGift } from '../../../vouchers/gifts/service';
export {
  type AppliedVoucher,
  checkVoucher,
  releaseVoucher,
  reserveVoucher as takeVoucher,
  returnVoucher,
} from '../../../vouchers/uses/service';

/** The purchase is paid: the use stays. It was held before the charge, so it is there. */
export async function keepVoucher(inTransaction: Transaction, subject: string): Promise<void> {
  await confirmVoucher(inTransaction, subject);
}

/** Makes the gift, and promises the mail to its receiver. */
export async function makeGift(inTransaction: Transaction, order: NewGift): Promise<void> {
  await createGift(inTransaction, order);
}
