import { throttleAttempts } from '../adapters/postgres/throttling';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { fingerprintOf } from '../adapters/sealing';
import { isFeatureOff } from '../features/features';
import { type Caller } from '../kit/auth';
import { AppError, type ErrorCode } from '../kit/errors';
import { type Discount } from '../billing/discounts';
import { lockCustomer } from './customers.model';
import { canonicalCode } from './vouchers.model';
import {
  findApplicable,
  findHeld,
  freeLapsed,
  freeLapsedOfCustomer,
  giveBack,
  keepUse,
  reachesFee,
  takeUse,
  type ApplicableVoucher,
  type Refusal,
  type VoucherTerms,
  type VoucherRequest,
} from './uses.model';

export { reachesFee };

/** The purchase for which a voucher is used. */
export interface VoucherPurchase {
  itemId: number;
  accessFeeId: number;
  code: string;
}

/** The terms of a voucher that are stored with a purchase. */
export interface AppliedVoucher {
  voucherId: number;
  /** For a gift only the last characters. Its code is secret and stored only encrypted. */
  code: string;
  discount: Discount;
  isGift: boolean;
}

/** A voucher that is valid for a purchase. `refusal` is set if its customer must not use it. */
export interface FoundVoucher {
  voucher: AppliedVoucher;
  refusal: AppError | undefined;
}

/** The time after which a reservation lapses, unless its purchase continues. */
const lifetimeSeconds = 3600;
const shownOfGift = 4;
const giftPurpose = 'gift code';

/** The key of a gift's code. It never equals another code, because those are in upper case. */
export function giftKey(code: string): string {
  return `gift:${fingerprintOf(giftPurpose, canonicalCode(code))}`;
}

/**
 * The voucher for a purchase, without a use of the voucher. A code that is unknown, expired, used up, or not valid for
 * the purchase or the account gets the same answer, and attempts are throttled, so that codes cannot be guessed. A
 * customer who knows a valid code but must not use it gets the reason.
 */
export async function checkVoucher(caller: Caller, purchase: VoucherPurchase): Promise<AppliedVoucher> {
  const { voucher, refusal } = await throttleVoucherAttempts(caller, () => findVoucherFor(caller, purchase));
  if (refusal) throw refusal;
  return voucher;
}

/** Throttles attempts of a caller who may be guessing. */
export async function throttleVoucherAttempts<T>(caller: Caller, look: () => Promise<T | undefined>): Promise<T> {
  const found = await throttleAttempts(
    { kind: 'voucher', subject: caller.accountUuid, address: caller.clientAddress },
    look,
  );
  if (found === undefined) throw new AppError('voucher_not_found');
  return found;
}

/** Not throttled. Call it only inside `throttleVoucherAttempts`. */
export async function findVoucherFor(
  { merchantId, accountId }: Pick<Caller, 'merchantId' | 'accountId'>,
  { code, ...purchase }: VoucherPurchase,
): Promise<FoundVoucher | undefined> {
  const found = await findApplicable({ merchantId, accountId, codes: codesOf(code), ...purchase });
  if (!found) return undefined;
  const voucher = applied(found, code);
  if (await isTurnedOff(merchantId, voucher)) return undefined;
  return { voucher, refusal: refusalOf(found) };
}

/** The error if the customer must not use the voucher, or its currency is not that of the purchase. */
function refusalOf({ refusal, usageLimitPerCustomer, discountCurrency }: ApplicableVoucher): AppError | undefined {
  if (refusal === null) return undefined;
  const uses = usageLimitPerCustomer === 1 ? '1 use' : `${usageLimitPerCustomer} uses`;
  const texts = {
    customer_limit: {
      code: 'voucher_customer_limit',
      text: `is limited to ${uses} per customer, and you have used it as often`,
    },
    currency: {
      code: 'voucher_currency',
      text: `takes off an amount in ${discountCurrency}, and the price is in another currency`,
    },
    new_customers_only: { code: 'voucher_new_customers_only', text: 'is for new customers only' },
  } as const satisfies Record<Refusal, { code: ErrorCode; text: string }>;
  const { code, text } = texts[refusal];
  return new AppError(code, { errors: { voucher_code: `The voucher_code ${text}.` } });
}

/** Whether the feature of the voucher is off. Gifts and the merchant's vouchers are separate features. */
function isTurnedOff(merchantId: number, { isGift }: AppliedVoucher): Promise<boolean> {
  return isFeatureOff(merchantId, isGift ? 'gifts' : 'vouchers');
}

/**
 * Reserves a use of a voucher in the transaction that inserts the purchase. `subject` is the token of the purchase. A
 * repeated call returns its reservation. Throws `voucher_not_found`, or the reason why this customer must not use the
 * voucher.
 */
export async function reserveVoucher(
  inTransaction: Transaction,
  of: VoucherPurchase & { merchantId: number; accountId: number; subject: string },
): Promise<AppliedVoucher> {
  const { code, subject, ...rest } = of;
  const request = { ...rest, codes: codesOf(code) };
  const take = () => takeUse(request, subject, lifetimeSeconds, inTransaction);
  const held = await findHeld(of.merchantId, subject, inTransaction);
  if (held) return applied(held, code);
  await refuseCustomer(request, inTransaction);
  const found = await take();
  if (found) return applied(found, code);
  await freeLapsed(request, inTransaction);
  const freed = await take();
  if (!freed) throw new AppError('voucher_not_found');
  return applied(freed, code);
}

/**
 * Checks the conditions on the customer under the customer's lock, so that the second of two parallel purchases sees
 * the first.
 */
async function refuseCustomer(request: VoucherRequest, inTransaction: Transaction): Promise<void> {
  if (!(await lockCustomer(request, inTransaction))) return;
  await freeLapsedOfCustomer(request, inTransaction);
  const found = await findApplicable(request, inTransaction);
  const refusal = found && refusalOf(found);
  if (refusal) throw refusal;
}

/**
 * Called before a charge is sent. The reservation no longer lapses, and ends with the purchase. False if it has lapsed
 * and all uses are reserved: the charge must not be sent then. True for a purchase without a voucher.
 */
export function holdVoucher(subject: string): Promise<boolean> {
  return transaction((inTransaction) => keepUse('hold', subject, inTransaction));
}

/**
 * The purchase has succeeded. Later changes of the voucher do not affect it. False in the same case as `holdVoucher`.
 */
export function confirmVoucher(inTransaction: Transaction, subject: string): Promise<boolean> {
  return keepUse('confirm', subject, inTransaction);
}

/** The purchase has failed. Its use is available again. */
export function releaseVoucher(inTransaction: Transaction, subject: string): Promise<void> {
  return giveBack(subject, { from: 'reserved', to: 'released' }, inTransaction);
}

/** The purchase was refunded in full. Its use is available again. */
export function returnVoucher(inTransaction: Transaction, subject: string): Promise<void> {
  return giveBack(subject, { from: 'confirmed', to: 'returned' }, inTransaction);
}

function codesOf(code: string): string[] {
  return [canonicalCode(code), giftKey(code)];
}

function applied(found: VoucherTerms, typed: string): AppliedVoucher {
  const { voucherId, discount: percent, rebillDiscount, discountPeriod, discountDuration } = found;
  const code = found.code === '' ? maskGiftCode(typed) : found.code;
  const { discountMinor: minor, rebillDiscountMinor: rebillMinor } = found;
  const fixed = minor === null ? {} : { fixed: { minor, rebillMinor } };
  const percents = { percent, rebillPercent: rebillDiscount };
  const discount = { ...percents, ...fixed, period: discountPeriod, duration: discountDuration };
  return { voucherId, code, discount, isGift: found.code === '' };
}

/** The last characters of a gift's code, by which people recognise it. */
export function maskGiftCode(code: string): string {
  return `****${canonicalCode(code).slice(-shownOfGift)}`;
}
