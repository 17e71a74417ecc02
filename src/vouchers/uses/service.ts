import { guess } from '../../adapters/postgres/guesses';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { fingerprintOf } from '../../adapters/sealing';
import { isFeatureOff } from '../../features/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { type Discount } from '../../subscriptions/billing/discounts';
import { canonicalCode } from '../model';
import {
  findApplicable,
  findHeld,
  freeLapsed,
  giveBack,
  keepUse,
  reachesFee,
  takeUse,
  type VoucherTerms,
} from './model';

export { reachesFee };

/** What a voucher is wanted for. */
export interface VoucherPurchase {
  itemId: number;
  accessFeeId: number;
  code: string;
}

/** A voucher as a purchase keeps it. */
export interface AppliedVoucher {
  voucherId: number;
  /** Of a gift the last characters only: the code is a secret until it is used, and is stored nowhere in the clear. */
  code: string;
  discount: Discount;
  isGift: boolean;
}

/** A reservation whose purchase does not go on lapses after this long. */
const lifetimeSeconds = 3600;
const shownOfGift = 4;
const giftPurpose = 'gift code';

/** Under what a gift's code is found: never equal to a code in the clear, since those are in upper case. */
export function giftKey(code: string): string {
  return `gift:${fingerprintOf(giftPurpose, canonicalCode(code))}`;
}

/**
 * The voucher that a purchase would be given now. Unknown, not begun, over, used up, for something or somebody else, and
 * another merchant's: one answer, and who asks too often waits (reliability 2.2). Takes no use of it.
 */
export async function checkVoucher(caller: Caller, purchase: VoucherPurchase): Promise<AppliedVoucher> {
  return guessVoucher(caller, () => findVoucherFor(caller, purchase));
}

/** Asks on behalf of somebody who may be guessing. */
export async function guessVoucher<T>(caller: Caller, look: () => Promise<T | undefined>): Promise<T> {
  const found = await guess({ kind: 'voucher', subject: caller.accountUuid, address: caller.clientAddress }, look);
  if (found === undefined) throw new AppError('voucher_not_found');
  return found;
}

/** Unthrottled: only behind `guessVoucher`. */
export async function findVoucherFor(
  { merchantId, accountId }: Pick<Caller, 'merchantId' | 'accountId'>,
  { code, ...purchase }: VoucherPurchase,
): Promise<AppliedVoucher | undefined> {
  const found = await findApplicable({ merchantId, accountId, codes: codesOf(code), ...purchase });
  const voucher = found && applied(found, code);
  return voucher && !(await isTurnedOff(merchantId, voucher)) ? voucher : undefined;
}

/** A gift is no voucher of the merchant's: each can be turned off for itself. */
function isTurnedOff(merchantId: number, { isGift }: AppliedVoucher): Promise<boolean> {
  return isFeatureOff(merchantId, isGift ? 'gifts' : 'vouchers');
}

/**
 * Takes a use of a voucher, in the transaction that writes the purchase. `subject` is the purchase's token: reserving
 * again answers what is reserved. Throws `voucher_not_found`.
 */
export async function reserveVoucher(
  inTransaction: Transaction,
  of: VoucherPurchase & { merchantId: number; accountId: number; subject: string },
): Promise<AppliedVoucher> {
  const { code, subject, ...rest } = of;
  const wanted = { ...rest, codes: codesOf(code) };
  const take = () => takeUse(wanted, subject, lifetimeSeconds, inTransaction);
  const found = (await findHeld(of.merchantId, subject, inTransaction)) ?? (await take());
  if (found) return applied(found, code);
  await freeLapsed(wanted, inTransaction);
  const freed = await take();
  if (!freed) throw new AppError('voucher_not_found');
  return applied(freed, code);
}

/**
 * Before a charge is sent: from now on the reservation ends with the purchase and not by itself. False when it has lapsed
 * and others have taken all uses; then the charge must not be sent. True without a voucher.
 */
export function holdVoucher(subject: string): Promise<boolean> {
  return transaction((inTransaction) => keepUse('hold', subject, inTransaction));
}

/** The purchase has succeeded. What is true of the voucher by now no longer matters. False as with `holdVoucher`. */
export function confirmVoucher(inTransaction: Transaction, subject: string): Promise<boolean> {
  return keepUse('confirm', subject, inTransaction);
}

/** The purchase has failed: somebody else may use the voucher. */
export function releaseVoucher(inTransaction: Transaction, subject: string): Promise<void> {
  return giveBack(subject, { from: 'reserved', to: 'released' }, inTransaction);
}

/** The purchase was refunded in full (subscriptions 7). */
export function returnVoucher(inTransaction: Transaction, subject: string): Promise<void> {
  return giveBack(subject, { from: 'confirmed', to: 'returned' }, inTransaction);
}

function codesOf(code: string): string[] {
  return [canonicalCode(code), giftKey(code)];
}

function applied(found: VoucherTerms, typed: string): AppliedVoucher {
  const { voucherId, discount: percent, rebillDiscount, discountPeriod, discountDuration } = found;
  const code = found.code === '' ? maskGiftCode(typed) : found.code;
  const discount = { percent, rebillPercent: rebillDiscount, period: discountPeriod, duration: discountDuration };
  return { voucherId, code, discount, isGift: found.code === '' };
}

/** What a gift's code is recognised by. */
export function maskGiftCode(code: string): string {
  return `****${canonicalCode(code).slice(-shownOfGift)}`;
}
