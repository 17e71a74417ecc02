import { createAccessFee } from '../items/accessFees/changes';
import { listOwnFees } from '../items/accessFees/accessFees';
import { createItem, listItems } from '../items/items';
import { merchantNow } from '../adapters/clock';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { createVoucher, findVoucherOfCode } from '../vouchers/vouchers';
import { currency, type DemoItem, type FeeName, items, voucherCode } from './script';

/** The catalogue of demo data. A repeated step finds what exists by its name. */

/** `requestId` is written to the audit log, and marks the rows as demo data. */
export async function makeCatalogue(merchant: Caller, requestId: string): Promise<void> {
  for (const item of items) {
    const id = (await findItem(merchant, item.title)) ?? (await makeItem(merchant, item, requestId));
    await makeFees(merchant, id, { fees: item.fees, requestId });
  }
  if (!(await findVoucherOfCode(merchant, voucherCode))) await makeVoucher(merchant, requestId);
}

async function findItem(merchant: Caller, title: string): Promise<number | undefined> {
  const { collection } = await listItems(merchant, { search: [`title:${title}`], active: 'all', limit: 10 });
  return collection.find((item) => item.title === title)?.id;
}

async function makeItem(
  merchant: Caller,
  { title, content, isGiftable }: DemoItem,
  requestId: string,
): Promise<number> {
  const item = { item_type: 'html_asset', title, content, is_giftable: isGiftable };
  return (await createItem(merchant, item, requestId)).id;
}

async function makeFees(
  merchant: Caller,
  itemId: number,
  { fees, requestId }: Pick<DemoItem, 'fees'> & { requestId: string },
): Promise<void> {
  const known = new Set((await listOwnFees(merchant, itemId)).map(({ description }) => description));
  for (const { trialDays, ...fee } of fees) {
    if (known.has(fee.description)) continue;
    const trial =
      trialDays === undefined ? {} : ({ trial_period_quantity: trialDays, trial_period_period: 'day' } as const);
    await createAccessFee(merchant, itemId, { ...fee, ...trial, currency }, requestId);
  }
}

async function makeVoucher(merchant: Caller, requestId: string): Promise<void> {
  const starts = await merchantNow(merchant.merchantId);
  const voucher = { name: 'Welcome', code: voucherCode, discount: 20, start_date: starts } as const;
  await createVoucher(merchant, { ...voucher, discount_period: 'once' }, requestId);
}

/** The id of a fee. */
export async function feeOf(merchant: Caller, name: FeeName): Promise<number> {
  const item = items.find(({ fees }) => fees.some(({ description }) => description === name));
  const itemId = item && (await findItem(merchant, item.title));
  const fees = itemId === undefined ? [] : await listOwnFees(merchant, itemId);
  const fee = fees.find(({ description }) => description === name);
  if (!fee) throw new AppError('access_fee_not_found');
  return fee.id;
}
