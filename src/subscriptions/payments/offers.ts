import { type Transaction } from '../../adapters/postgres/connection';
import { createGift, type NewGift } from '../../vouchers/gifts';
import { confirmVoucher } from '../../vouchers/uses';

/** Payments and refunds use vouchers and gifts only through this file. */

export { refundGift as killGift, reviveGift } from '../../vouchers/gifts';
export {
  type AppliedVoucher,
  checkVoucher,
  releaseVoucher,
  reserveVoucher as takeVoucher,
  returnVoucher,
} from '../../vouchers/uses';

/** Confirms the use of a voucher for a paid payment. The voucher was held before the charge. */
export async function keepVoucher(inTransaction: Transaction, subject: string): Promise<void> {
  await confirmVoucher(inTransaction, subject);
}

/** Creates the gift, and queues the mail to its receiver. */
export async function makeGift(inTransaction: Transaction, order: NewGift): Promise<void> {
  await createGift(inTransaction, order);
}
