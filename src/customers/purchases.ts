import { type z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { titleOfStore } from '../stores/stores';
import { type Caller } from '../kit/auth';
import { byId, cursorRange, nextCursor } from '../kit/page';
import { toMajor } from '../billing/money';
import { findPurchases, findPurchasesById, type PurchaseRow } from './purchases.model';
import { presentPurchase } from './purchases.presenter';
import { type PurchaseQuery } from './purchases.schemas';

/** Newest first. A consumer always gets its own purchases; `customerID` is only for merchants. */
export async function listPurchases(caller: Caller, query: z.output<typeof PurchaseQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const { merchantId } = caller;
  const accountId = caller.role === 'merchant' ? query.customerID : caller.accountId;
  const filter = {
    owner: { merchantId, ...(accountId !== undefined && { accountId }) },
    status: query.status ?? 'all',
    type: query.type,
    present: await merchantNow(merchantId),
  };
  const { rows, total } = await findPurchases(filter, { limit, offset, afterId: after?.id });
  return { total, page, offset, limit, next_cursor: nextCursor(rows, { limit }, byId), collection: rows.map(present) };
}

/** Entitlements by id, with the fields of the history and the voucher of the purchase. */
export async function describePurchases(merchantId: number, accessIds: number[]) {
  const rows = await findPurchasesById(merchantId, accessIds, await merchantNow(merchantId));
  return new Map(rows.map((row) => [row.id, { ...present(row), voucher_code: row.voucherCode }]));
}

function present(row: PurchaseRow) {
  const { paidMinor, currency } = row;
  const amount = paidMinor === null || currency === null ? 0 : toMajor(paidMinor, currency);
  const method = row.store === null ? (row.paymentMethod ?? '') : titleOfStore(row.store);
  return presentPurchase(row, { amount, method });
}
