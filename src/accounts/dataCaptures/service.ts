import { Op } from 'sequelize';
import { z } from 'zod';
import { findPage } from '../../adapters/postgres/totals';
import { seal, unseal } from '../../adapters/sealing';
import { getItemRow } from '../../items/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { message, pageRange } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
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

const passPurpose = 'data capture pass';
const passSeconds = 3600;
const Pass = z.object({ merchantUuid: z.string(), itemId: z.int(), endsAt: z.int() });

/** Shows for an hour that an address was left for an item: for a page, whose frame asks for the content by itself. */
export function writePass(merchantUuid: string, itemId: number): string {
  const pass: z.output<typeof Pass> = { merchantUuid, itemId, endsAt: unixSeconds(new Date()) + passSeconds };
  return seal(passPurpose, JSON.stringify(pass)).toString('base64url');
}

/** Whether a pass opens an item of the merchant's now. */
export function isPass(text: string, merchantUuid: string, itemId: number, now = new Date()): boolean {
  const opened = unseal(passPurpose, Buffer.from(text, 'base64url'));
  if (opened === undefined) return false;
  const pass = Pass.parse(JSON.parse(opened));
  return pass.merchantUuid === merchantUuid && pass.itemId === itemId && pass.endsAt > unixSeconds(now);
}

/** The content for a pass, by the rules that hold for whoever leaves an address. */
export async function openByPass(
  pass: string,
  { merchantUuid, itemId }: { merchantUuid: string; itemId: number },
  request: RequestFacts,
): Promise<string> {
  if (!isPass(pass, merchantUuid, itemId)) throw new AppError('access_not_found');
  const { merchantId } = await getTenant(merchantUuid);
  return (await openItem(merchantId, itemId, request)).content;
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

/** The same list from the one after an id on: for who reads all of it. */
export async function readDataCapturesAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await DataCapture.findAll({ where, order: [['id', 'DESC']], limit });
  return rows.map(presentDataCapture);
}
