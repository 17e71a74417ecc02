import { type z } from 'zod';
import { merchantNow } from '../../../adapters/clock';
import { titleOfStore } from '../../../externalPayments/stores/service';
import { type Caller } from '../../../kit/auth';
import { pageRange } from '../../../kit/page';
import { toMajor } from '../../../subscriptions/billing/money';
import { findPurchases, type PurchaseRow } from './model';
import { presentPurchase } from './presenter';
import { type PurchaseQuery } from './schemas';

/** Newest first. A consumer's are its own, whoever it names. */
export async function listPurchases(caller: Caller, query: z.output<typeof PurchaseQuery>) {
  const { page, limit, offset } = pageRange(query);
  const { merchantId } = caller;
  const accountId = caller.role === 'merchant' ? query.customerID : caller.accountId;
  const filter = {
    owner: { merchantId, ...(accountId !== undefined && { accountId }) },
    status: query.status ?? 'all',
    type: query.type,
    present: await merchantNow(merchantId),
  };
  const { rows, total } = await findPurchases(filter, { limit, offset });
  return { total, page, offset, limit, collection: rows.map(present) };
}

function present(row: PurchaseRow) {
  const { paidMinor, currency } = row;
  const amount = paidMinor === null || currency === null ? 0 : toMajor(paidMinor, currency);
  const method = row.store === null ? (row.paymentMethod ?? '') : titleOfStore(row.store);
  return presentPurchase(row, { amount, method });
}
