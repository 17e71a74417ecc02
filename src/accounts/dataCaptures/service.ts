import { type z } from 'zod';
import { findPage } from '../../adapters/postgres/totals';
import { getItemRow } from '../../items/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { message, pageRange } from '../../kit/page';
import { refuseStranger } from '../../restrictions/service';
import { getTenant } from '../oauthApps/service';
import { DataCapture, upsertDataCapture } from './model';
import { presentDataCapture } from './presenter';
import { type DataCaptureBody, type DataCaptureQuery } from './schemas';

export { hasLeftAddress } from './model';

/**
 * Whoever leaves an address may see the merchant's `DataCapture` items: the one that is named here at once, and every one
 * with an account of that address. The answer does not tell who was here before.
 */
export async function captureData(input: z.output<typeof DataCaptureBody>, request: RequestFacts) {
  const { merchantId } = await getTenant(input.merchant_uuid);
  const { email, full_name: fullName, company = '', item_id: itemId } = input;
  const opened = itemId === undefined ? {} : await openItem(merchantId, itemId, request);
  await upsertDataCapture([merchantId, email, normalizeEmail(email), fullName, company]);
  return { ...message('Access successfully granted'), ...opened };
}

/** An item of the merchant's that opens for an address, where nothing forbids it to somebody without an account. */
async function openItem(merchantId: number, itemId: number, { host, clientAddress: address }: RequestFacts) {
  const item = await getItemRow(merchantId, itemId);
  if (!item.isActive || item.accessControlType !== 'DataCapture') throw new AppError('access_not_found');
  await refuseStranger({ merchantId, host, address }, itemId);
  return { item_id: itemId, content: item.content, type: item.itemType };
}

/** Newest first. */
export async function listDataCaptures(caller: Caller, query: z.output<typeof DataCaptureQuery>) {
  const { page, limit, offset } = pageRange(query);
  const { merchantId } = caller;
  const { rows, total } = await findPage(DataCapture, `data captures ${merchantId}`, {
    where: { merchantId },
    order: [['id', 'DESC']],
    limit,
    offset,
  });
  return { total, page, offset, limit, collection: rows.map(presentDataCapture) };
}
