import { Op } from 'sequelize';
import { z } from 'zod';
import { refuseMoving } from '../accounts/merchants/states';
import { findPage, olderThan } from '../adapters/postgres/totals';
import { seal, unseal } from '../adapters/sealing';
import { getItemRow } from '../items/items';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { normalizeEmail } from '../kit/form';
import { byId, cursorRange, message, nextCursor } from '../kit/page';
import { unixSeconds } from '../kit/time';
import { refuseStranger } from '../restrictions/restrictions';
import { getTenant } from '../oauthApps/clients';
import { DataCapture, upsertDataCapture } from './dataCaptures.model';
import { presentDataCapture } from './dataCaptures.presenter';
import { type DataCaptureBody, type DataCaptureQuery } from './dataCaptures.schemas';

export { hasLeftAddress } from './dataCaptures.model';

/**
 * Saves an address. Its owner gets access to the merchant's `DataCapture` items: to the named one immediately, and to
 * all of them with an account of that address. The response does not reveal whether the address was known.
 */
export async function captureData(input: z.output<typeof DataCaptureBody>, request: RequestFacts) {
  const { merchantId } = await getTenant(input.merchant_uuid);
  await refuseMoving([merchantId]);
  const { email, full_name: fullName, company = '', item_id: itemId } = input;
  const opened = itemId === undefined ? {} : await openItem(merchantId, itemId, request);
  await upsertDataCapture([merchantId, email, normalizeEmail(email), fullName, company]);
  return { ...message('Access successfully granted'), ...opened };
}

/** An item of the merchant that an address opens, if no restriction forbids it to a visitor without an account. */
async function openItem(merchantId: number, itemId: number, request: RequestFacts) {
  const { host, refererHost, clientAddress: address } = request;
  const item = await getItemRow(merchantId, itemId);
  if (!item.isActive || item.accessControlType !== 'DataCapture') throw new AppError('access_not_found');
  await refuseStranger({ merchantId, host, refererHost, address }, itemId);
  return { item_id: itemId, content: item.content, type: item.itemType };
}

const passPurpose = 'data capture pass';
const passSeconds = 3600;
const Pass = z.object({ merchantUuid: z.string(), itemId: z.int(), endsAt: z.int() });

/**
 * Creates a pass, which proves for one hour that an address was left for an item. A page passes it to its frame, which
 * loads the content.
 */
export function writePass(merchantUuid: string, itemId: number): string {
  const pass: z.output<typeof Pass> = { merchantUuid, itemId, endsAt: unixSeconds(new Date()) + passSeconds };
  return seal(passPurpose, JSON.stringify(pass)).toString('base64url');
}

/** Whether a pass now opens an item of the merchant. */
export function isPass(text: string, merchantUuid: string, itemId: number, now = new Date()): boolean {
  const opened = unseal(passPurpose, Buffer.from(text, 'base64url'));
  if (opened === undefined) return false;
  const pass = Pass.parse(JSON.parse(opened));
  return pass.merchantUuid === merchantUuid && pass.itemId === itemId && pass.endsAt > unixSeconds(now);
}

/** The content for a pass. The same rules apply as for an address. */
export async function openByPass(
  pass: string,
  { merchantUuid, itemId }: { merchantUuid: string; itemId: number },
  request: RequestFacts,
): Promise<string> {
  if (!isPass(pass, merchantUuid, itemId)) throw new AppError('access_not_found');
  const { merchantId } = await getTenant(merchantUuid);
  return (await openItem(merchantId, itemId, request)).content;
}

/** Lists the newest first. */
export async function listDataCaptures(caller: Caller, query: z.output<typeof DataCaptureQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const { merchantId } = caller;
  const { rows, total } = await findPage(DataCapture, `data captures ${merchantId}`, {
    where: { merchantId },
    order: [['id', 'DESC']],
    limit,
    offset,
    after: olderThan(after),
  });
  const next_cursor = nextCursor(rows, { limit }, byId);
  return { total, page, offset, limit, next_cursor, collection: rows.map(presentDataCapture) };
}

/** Reads the list from the entry after an id, for an export. */
export async function readDataCapturesAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await DataCapture.findAll({ where, order: [['id', 'DESC']], limit });
  return rows.map(presentDataCapture);
}
