import { type Client } from 'pg';
import { Op } from 'sequelize';
import { type z } from 'zod';
import { merchantNow, now } from '../adapters/clock';
import { getOwned, transaction, type Transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { findPage, olderThan } from '../adapters/postgres/totals';
import { getItemById } from '../items/items';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { normalizeEmail } from '../kit/form';
import { byId, cursorRange, message, nextCursor, pageRange } from '../kit/page';
import { queueMail, withdrawMail } from '../mail/mail';
import { toMajor } from '../billing/money';
import { generateCode, listRuleFees, Voucher, VoucherRule } from './vouchers.model';
import { freeLapsedOf } from './uses.model';
import { giftKey } from './uses';
import {
  boughtBy,
  GiftVoucher,
  killGift,
  listSealedCodes,
  lockGift,
  receivedBy,
  reviveKilled,
  shownWith,
  writeGiftKeys,
} from './gifts.model';
import { presentGift, presentOwnGift } from './gifts.presenter';
import { type GiftQuery, type OwnGiftQuery } from './gifts.schemas';

/** The gift of a payment. */
export interface NewGift {
  merchantId: number;
  buyerAccountId: number;
  /** The address that receives the code. Only its account can redeem the gift. */
  receiverEmail: string;
  itemId: number;
  accessFeeId: number;
  paymentToken: string;
  /** The day on which the code is mailed, in merchant time. Null: immediately. */
  deliverOn?: Date | null;
  /** The brand of the purchase and of the mail. */
  brandingId?: number | null;
}

const sealingPurpose = 'gift voucher';
/** Twelve characters are 60 bits, so nobody finds one of a million gifts by guessing, even without throttling. */
const codeLength = 12;

/**
 * Creates the gift of a payment in the transaction that settles the payment: a voucher of 100 % for one use of the fee
 * by the receiver, and the mail with its code. A payment has one gift, so a repeated call returns the same gift.
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

/** Mails the code to the receiver again, immediately, even before the day of delivery. */
export async function resendGift({ merchantId }: Caller, id: number) {
  await transaction(async (inTransaction) => {
    const shown = { include: shownWith, transaction: inTransaction };
    const row = await getOwned(GiftVoucher, merchantId, id, 'gift_voucher_not_found', shown);
    if (row.state !== 'bought') throw new AppError('gift_used');
    if (row.receiverEmail === '')
      throw new AppError('mail_not_possible', { explain: 'The receiver’s account is erased.' });
    await withdrawGiftMail(inTransaction, row);
    row.deliverOn = null;
    await mailGift(inTransaction, row, row.accessFee?.description ?? '');
  });
  return message('The gift is on its way again');
}

/** Queues the mail with the code for the day of delivery. */
async function mailGift(inTransaction: Transaction, row: GiftVoucher, offer: string): Promise<void> {
  const { merchantId, brandingId, receiverEmail: to, deliverOn } = row;
  const { title: itemTitle } = await getItemById(row.itemId, inTransaction);
  const values = { code: unsealCode(row), itemTitle, offer, itemId: row.itemId };
  const mail = { merchantId, brandingId, to, languageOf: row.buyerAccountId, template: 'gift', values } as const;
  const mailId = await queueMail(inTransaction, { ...mail, ...(deliverOn && { notBefore: deliverOn }) });
  await row.update({ mailId: mailId ?? null, deliverOn }, { transaction: inTransaction });
}

/** Removes the mail from the queue if it was not sent. */
async function withdrawGiftMail(inTransaction: Transaction, row: GiftVoucher): Promise<void> {
  if (row.mailId === null || !(await withdrawMail(inTransaction, row.mailId))) return;
  await row.update({ mailId: null }, { transaction: inTransaction });
}

/**
 * Ends the code of a gift whose payment is refunded, and removes its mail. Idempotent. False if there is no such gift,
 * or if it is redeemed or being redeemed. In these cases the payment must not be refunded.
 */
export async function refundGift(inTransaction: Transaction, paymentToken: string): Promise<boolean> {
  const gift = await lockGift(paymentToken, inTransaction);
  if (gift?.state !== 'bought') return gift?.state === 'refunded';
  await freeLapsedOf(gift.voucherId, inTransaction);
  if (!(await killGift(gift.voucherId, inTransaction))) return false;
  await withdrawGiftMail(inTransaction, await getGiftOf(paymentToken, inTransaction));
  return true;
}

/** The refund has failed. The code becomes valid again and is mailed, unless it has ended for another reason. */
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
  const { page, limit, offset, after } = cursorRange(query);
  const where = { merchantId };
  const options = { where, include: shownWith, order: [['id', 'DESC']] as [string, string][], limit, offset };
  const { rows, total } = await findPage(GiftVoucher, `gifts ${merchantId}`, { ...options, after: olderThan(after) });
  const collection = rows.map((row) => ({ gift_voucher: describe(row) }));
  const next_cursor = nextCursor(rows, { limit }, byId);
  return { total, page, size: limit, offset, limit, next_cursor, collection };
}

/** The same list in parts, for an export: the rows that follow an id. */
export async function readGiftsAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await GiftVoucher.findAll({ where, include: shownWith, order: [['id', 'DESC']], limit });
  return rows.map((row) => {
    const { boughtAt, redeemedAt, refundedAt } = row;
    return { ...describe(row), bought_at: boughtAt, redeemed_at: redeemedAt, refunded_at: refundedAt };
  });
}

/** Newest first. A receiver sees a gift only with a verified address, and not before the day of delivery. */
export async function listOwnGifts(caller: Caller, query: z.output<typeof OwnGiftQuery>) {
  const { page, limit, offset } = pageRange(query);
  const where =
    query.direction === 'bought' ? boughtBy(caller) : await receivedBy(caller, await merchantNow(caller.merchantId));
  const total = await GiftVoucher.count({ where });
  const rows = await GiftVoucher.findAll({ where, include: shownWith, order: [['id', 'DESC']], limit, offset });
  return { total, page, offset, limit, collection: rows.map(presentOwnGift) };
}

export async function getGiftVoucher({ merchantId }: Caller, id: number) {
  return describe(await getOwned(GiftVoucher, merchantId, id, 'gift_voucher_not_found', { include: shownWith }));
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

/** Empty if the code was encrypted with a key that no longer exists. */
function unsealCode({ sealedCode }: Pick<GiftVoucher, 'sealedCode'>): string {
  return readGiftCode(sealedCode);
}

/** Only for the merchant, who may see the code. */
export function readGiftCode(sealedCode: Buffer): string {
  return unseal(sealingPurpose, sealedCode) ?? '';
}

const rekeyedAtOnce = 1_000;

/** Gifts of merchants that have come from another installation are found by a hash of this installation. */
export async function rekeyGifts(client: Client, merchantIds: readonly number[]): Promise<void> {
  for (let afterId = 0; ;) {
    const gifts = await listSealedCodes(client, merchantIds, { afterId, limit: rekeyedAtOnce });
    await writeGiftKeys(client, new Map(gifts.map((gift) => [gift.voucherId, giftKey(unsealCode(gift))])));
    const last = gifts.at(-1);
    if (!last || gifts.length < rekeyedAtOnce) return;
    afterId = last.id;
  }
}
