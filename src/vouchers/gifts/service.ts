import { Op } from 'sequelize';
import { type z } from 'zod';
import { merchantNow, now } from '../../adapters/clock';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { seal, unseal } from '../../adapters/sealing';
import { findPage } from '../../adapters/postgres/totals';
import { getItemById } from '../../items/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { message, pageRange } from '../../kit/page';
import { queueMail, withdrawMail } from '../../mail/service';
import { toMajor } from '../../subscriptions/billing/money';
import { generateCode, listRuleFees, Voucher, VoucherRule } from '../model';
import { freeLapsedOf } from '../uses/model';
import { giftKey } from '../uses/service';
import { boughtBy, GiftVoucher, killGift, lockGift, receivedBy, reviveKilled, shownWith } from './model';
import { presentGift, presentOwnGift } from './presenter';
import { type GiftQuery, type OwnGiftQuery } from './schemas';

/** What a payment bought for somebody else. */
export interface NewGift {
  merchantId: number;
  buyerAccountId: number;
  /** Whose account may redeem it, and where the code is mailed. */
  receiverEmail: string;
  itemId: number;
  accessFeeId: number;
  paymentToken: string;
  /** The day on which it is brought, in the merchant's time; null: at once. */
  deliverOn?: Date | null;
  /** The brand that it was bought in, and is brought in. */
  brandingId?: number | null;
}

const sealingPurpose = 'gift voucher';
/** 60 bits: nobody guesses one of a merchant's million gifts, whatever the throttle. */
const codeLength = 12;

/**
 * Makes the gift that a payment bought, in the transaction that settles it: a voucher of 100 % for one use of the fee, which
 * only the receiver can use, and the mail that brings the code. Once a payment: again answers the gift that there is.
 */
export async function createGift(inTransaction: Transaction, gift: NewGift): Promise<{ giftId: number; code: string }> {
  const known = await GiftVoucher.findOne({ where: { paymentToken: gift.paymentToken }, transaction: inTransaction });
  if (known) return { giftId: known.id, code: unsealCode(known) };
  const { merchantId, itemId, accessFeeId, receiverEmail } = gift;
  const [fee] = await listRuleFees(merchantId, [accessFeeId], inTransaction);
  if (fee?.itemId !== itemId) throw new AppError('access_fee_not_found');
  const code = generateCode(codeLength);
  const { id: voucherId } = await insertVoucher(inTransaction, gift, code);
  const row = await GiftVoucher.create(
    {
      ...gift,
      voucherId,
      sealedCode: seal(sealingPurpose, code),
      receiverEmailNormalized: normalizeEmail(receiverEmail),
      amountMinor: fee.amountMinor,
      currency: fee.currency,
      deliverOn: gift.deliverOn ?? null,
    },
    { transaction: inTransaction },
  );
  await mailGift(inTransaction, row, fee.description);
  return { giftId: row.id, code };
}

/** The code once more to its receiver, who may have lost it; at once, whatever day it was meant for. */
export async function resendGift({ merchantId }: Caller, id: number) {
  await transaction(async (inTransaction) => {
    const where = { id, merchantId };
    const row = await GiftVoucher.findOne({ where, include: shownWith, transaction: inTransaction });
    if (!row) throw new AppError('gift_voucher_not_found');
    if (row.state !== 'bought') throw new AppError('gift_used');
    await withdrawGiftMail(inTransaction, row);
    row.deliverOn = null;
    await mailGift(inTransaction, row, row.accessFee?.description ?? '');
  });
  return message('The gift is on its way again');
}

/** Brings the code on the day for which it was bought. */
async function mailGift(inTransaction: Transaction, row: GiftVoucher, offer: string): Promise<void> {
  const { merchantId, brandingId, receiverEmail: to, deliverOn } = row;
  const { title: itemTitle } = await getItemById(row.itemId, inTransaction);
  const values = { code: unsealCode(row), itemTitle, offer };
  const mail = { merchantId, brandingId, to, template: 'gift', values } as const;
  const mailId = await queueMail(inTransaction, { ...mail, ...(deliverOn && { notBefore: deliverOn }) });
  await row.update({ mailId: mailId ?? null, deliverOn }, { transaction: inTransaction });
}

/** What has not come to its receiver yet does not come. */
async function withdrawGiftMail(inTransaction: Transaction, row: GiftVoucher): Promise<void> {
  if (row.mailId === null || !(await withdrawMail(inTransaction, row.mailId))) return;
  await row.update({ mailId: null }, { transaction: inTransaction });
}

/**
 * Kills the code of a gift whose payment is refunded, and takes its mail back; again does no harm. False when there is no such gift, or it is
 * redeemed or being redeemed: then there is nothing to give back.
 */
export async function refundGift(inTransaction: Transaction, paymentToken: string): Promise<boolean> {
  const gift = await lockGift(paymentToken, inTransaction);
  if (gift?.state !== 'bought') return gift?.state === 'refunded';
  await freeLapsedOf(gift.voucherId, inTransaction);
  if (!(await killGift(gift.voucherId, inTransaction))) return false;
  await withdrawGiftMail(inTransaction, await getGiftOf(paymentToken, inTransaction));
  return true;
}

/** The money did not go back after all: the code counts again, and is mailed, unless something else has killed it. */
export async function reviveGift(inTransaction: Transaction, paymentToken: string): Promise<void> {
  if (!(await reviveKilled(paymentToken, inTransaction))) return;
  const row = await getGiftOf(paymentToken, inTransaction);
  const isBrought = row.mailId !== null || row.deliverOn === null;
  if (!isBrought) await mailGift(inTransaction, row, row.accessFee?.description ?? '');
}

function getGiftOf(paymentToken: string, inTransaction: Transaction): Promise<GiftVoucher> {
  const options = { where: { paymentToken }, include: shownWith, transaction: inTransaction };
  return GiftVoucher.findOne({ ...options, rejectOnEmpty: true });
}

/** Newest first. */
export async function listGiftVouchers({ merchantId }: Caller, query: z.output<typeof GiftQuery>) {
  const { page, limit, offset } = pageRange(query);
  const where = { merchantId };
  const options = { where, include: shownWith, order: [['id', 'DESC']] as [string, string][], limit, offset };
  const { rows, total } = await findPage(GiftVoucher, `gifts ${merchantId}`, options);
  const collection = rows.map((row) => ({ gift_voucher: describe(row) }));
  return { total, page, size: limit, offset, limit, collection };
}

/** The same list from the one after an id on: for who reads all of it. */
export async function readGiftsAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await GiftVoucher.findAll({ where, include: shownWith, order: [['id', 'DESC']], limit });
  return rows.map((row) => {
    const { boughtAt, redeemedAt, refundedAt } = row;
    return { ...describe(row), bought_at: boughtAt, redeemed_at: redeemedAt, refunded_at: refundedAt };
  });
}

/** Newest first. What is received is shown to a proven address only, and not before the day on which it is brought. */
export async function listOwnGifts(caller: Caller, query: z.output<typeof OwnGiftQuery>) {
  const { page, limit, offset } = pageRange(query);
  const where =
    query.direction === 'bought' ? boughtBy(caller) : await receivedBy(caller, await merchantNow(caller.merchantId));
  const total = await GiftVoucher.count({ where });
  const rows = await GiftVoucher.findAll({ where, include: shownWith, order: [['id', 'DESC']], limit, offset });
  return { total, page, offset, limit, collection: rows.map(presentOwnGift) };
}

export async function getGiftVoucher({ merchantId }: Caller, id: number) {
  const row = await GiftVoucher.findOne({ where: { id, merchantId }, include: shownWith });
  if (!row) throw new AppError('gift_voucher_not_found');
  return describe(row);
}

async function insertVoucher(inTransaction: Transaction, gift: NewGift, code: string): Promise<Voucher> {
  const { merchantId, accessFeeId } = gift;
  const voucher = await Voucher.create(
    {
      merchantId,
      name: 'Gift',
      code: '',
      canonicalCode: giftKey(code),
      codeLength,
      discount: 100,
      discountPeriod: 'once',
      usageLimit: 1,
      startsAt: now(),
      isGift: true,
    },
    { transaction: inTransaction },
  );
  await VoucherRule.create(
    { merchantId, voucherId: voucher.id, ruleType: 'access_fees', accessFeeId },
    { transaction: inTransaction },
  );
  return voucher;
}

function describe(row: GiftVoucher) {
  return presentGift(row, { code: unsealCode(row), amount: toMajor(row.amountMinor, row.currency) });
}

/** Empty when it was sealed under a key that is gone. */
function unsealCode({ sealedCode }: GiftVoucher): string {
  return readGiftCode(sealedCode);
}

/** For those who may see it: its merchant. */
export function readGiftCode(sealedCode: Buffer): string {
  return unseal(sealingPurpose, sealedCode) ?? '';
}
