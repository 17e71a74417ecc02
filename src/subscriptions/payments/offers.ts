import { type Transaction } from '../../adapters/postgres/connection';
import { createGift, type NewGift } from '../../vouchers/gifts';
import { confirmVoucher } from '../../vouchers/uses';

/** The only place where payments and refunds use vouchers and gifts. */

export { refundGift as killGift, reviveGift } from '../../vouchers/gifts';
export {
  type AppliedVoucher,
  checkVoucher,
  releaseVoucher,
  reserveVoucher as takeVoucher,
  returnVoucher,
} from '../../vouchers/uses';

/** The payment is paid: its use of the voucher, which was held before the charge, is confirmed. */
export async function keepVoucher(inTransaction: Transaction, subject: string): Promise<void> {
  await confirmVoucher(inTransaction, subject);
}

/** Makes the gift, and queues the mail to its receiver. */
export async function makeGift(inTransaction: Transaction, order: NewGift): Promise<void> {
  await createGift(inTransaction, order);
}
