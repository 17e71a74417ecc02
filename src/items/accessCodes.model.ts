import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { totalOf } from '../adapters/postgres/totals';

export interface AccessCodeRow {
  id: number;
  merchantId: number;
  itemId: number;
  code: string;
  deviceLimit: number;
  devices: number;
  expiresAt: Date | null;
  createdAt: Date;
}

const columns = `c.id, c.merchant_id AS "merchantId", c.item_id AS "itemId", c.code, c.device_limit AS "deviceLimit",
  c.devices, c.expires_at AS "expiresAt", c.created_at AS "createdAt"`;
const isValid = '(c.expires_at IS NULL OR c.expires_at > merchant_now(c.merchant_id))';

const insertStatement = statement<AccessCodeRow>(
  'access_code_insert',
  `INSERT INTO access_codes AS c (id, merchant_id, item_id, code, code_normalized, device_limit, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${columns}`,
);

export interface NewAccessCode extends Pick<AccessCodeRow, 'id' | 'merchantId' | 'itemId' | 'code' | 'deviceLimit'> {
  normalized: string;
  expiresAt: Date | null;
}

/** Throws a violation of `access_codes_code` if the item already has the code. */
export async function insertCode(code: NewAccessCode, inTransaction: Transaction): Promise<AccessCodeRow> {
  const { id, merchantId, itemId, normalized, deviceLimit, expiresAt } = code;
  const values = [id, merchantId, itemId, code.code, normalized, deviceLimit, expiresAt];
  const [row] = await insertStatement(values, inTransaction);
  if (!row) throw new Error('a code was not returned');
  return row;
}

const pageStatement = statement<AccessCodeRow & { exactAt: string }>(
  'access_code_page',
  `SELECT ${columns}, c.created_at::text AS "exactAt" FROM access_codes c WHERE c.item_id = $1 ORDER BY c.created_at DESC, c.id DESC LIMIT $2 OFFSET $3`,
);
const countStatement = statement<{ total: number }>(
  'access_code_count',
  'SELECT count(*)::int AS total FROM access_codes WHERE item_id = $1',
);

/** A page of an item's codes, including expired ones, newest first, and the total of all pages. */
export async function findCodePage(
  itemId: number,
  { limit, offset, after }: { limit: number; offset: number; after: CodePlace | undefined },
) {
  const rows = after ? await findCodesAfter(itemId, limit, after) : await pageStatement([itemId, limit, offset]);
  const page = { limit, offset, found: rows.length, isAfterRow: after !== undefined };
  const total = await totalOf(`access codes ${itemId}`, page, async () => {
    const [count] = await countStatement([itemId]);
    return count?.total ?? 0;
  });
  return { rows, total };
}

export interface CodePlace {
  at: string;
  id: number;
}

const afterStatement = statement<AccessCodeRow & { exactAt: string }>(
  'access_code_after',
  `SELECT ${columns}, c.created_at::text AS "exactAt" FROM access_codes c
   WHERE c.item_id = $1 AND ($3::timestamptz IS NULL OR (c.created_at, c.id) < ($3, $4::bigint))
   ORDER BY c.created_at DESC, c.id DESC LIMIT $2`,
);

/** The codes after a position, in the same order. */
export function findCodesAfter(itemId: number, limit: number, after?: CodePlace) {
  return afterStatement([itemId, limit, after?.at ?? null, after?.id ?? null]);
}

const ownStatement = statement<AccessCodeRow>(
  'access_code_own',
  `SELECT ${columns} FROM access_codes c WHERE c.merchant_id = $1 AND c.item_id = $2 AND c.id = $3`,
);

export async function findOwnCode(merchantId: number, itemId: number, id: number): Promise<AccessCodeRow | undefined> {
  const [row] = await ownStatement([merchantId, itemId, id]);
  return row;
}

const deleteStatement = statement<{ id: number }>(
  'access_code_delete',
  'DELETE FROM access_codes WHERE id = $1 AND merchant_id = $2 RETURNING id',
);

/** Deletes the code and its sessions. False if the merchant has no such code. */
export async function deleteCode(merchantId: number, id: number, inTransaction: Transaction): Promise<boolean> {
  return (await deleteStatement([id, merchantId], inTransaction)).length > 0;
}

const ofItemStatement = statement<AccessCodeRow>(
  'access_code_of_item',
  `SELECT ${columns} FROM access_codes c WHERE c.item_id = $1 AND c.code_normalized = $2 AND ${isValid}`,
);

/** A code of an item that is valid now. */
export async function findCode(itemId: number, normalized: string): Promise<AccessCodeRow | undefined> {
  const [row] = await ofItemStatement([itemId, normalized]);
  return row;
}

const namedStatement = statement<AccessCodeRow>(
  'access_code_named',
  `SELECT ${columns} FROM access_codes c WHERE c.id = $1 OR c.code_normalized = $2 ORDER BY c.id LIMIT 2`,
);

/**
 * Finds a code by its id or its text. A text of codes of two items finds nothing, because it does not identify one
 * code.
 */
export async function findNamedCode(id: number | null, normalized: string): Promise<AccessCodeRow | undefined> {
  const rows = await namedStatement([id, normalized]);
  return rows.find((row) => row.id === id) ?? (rows.length === 1 ? rows[0] : undefined);
}

const ofMerchantStatement = statement<AccessCodeRow & { itemTitle: string }>(
  'access_code_of_merchant',
  `SELECT ${columns}, i.title AS "itemTitle" FROM access_codes c JOIN items i ON i.id = c.item_id
   WHERE c.merchant_id = $1 AND c.code_normalized = $2 ORDER BY c.id DESC LIMIT $3`,
);

/** The codes of a merchant's items that have the same text, including expired ones. */
export function findCodesOfMerchant(merchantId: number, normalized: string, limit: number) {
  return ofMerchantStatement([merchantId, normalized, limit]);
}

/**
 * Assigns a slot of the code to a device, or finds the slot that the device already has, in one statement. Devices wait
 * for the row of the code, so each compares the limit with the latest count.
 */
const enterStatement = statement<{ is_in: boolean }>(
  'access_code_enter',
  `WITH known AS (
     UPDATE access_code_sessions SET last_used_at = now(), agent = $3 WHERE code_id = $1 AND fingerprint = $2
     RETURNING id
   ), place AS (
     UPDATE access_codes SET devices = devices + 1
     WHERE id = $1 AND devices < device_limit AND $4 AND NOT EXISTS (SELECT 1 FROM known) RETURNING id, merchant_id
   ), added AS (
     INSERT INTO access_code_sessions (merchant_id, code_id, fingerprint, agent)
     SELECT merchant_id, id, $2, $3 FROM place RETURNING id
   )
   SELECT EXISTS (SELECT 1 FROM known UNION ALL SELECT 1 FROM added) AS is_in`,
);

export interface Device {
  fingerprint: string;
  agent: string;
}

/**
 * `isOpen`: new devices may also enter. Throws a violation of `access_code_sessions_device` if the same device enters
 * in parallel.
 */
export async function takeDevice(codeId: number, { fingerprint, agent }: Device, isOpen: boolean): Promise<boolean> {
  const [row] = await enterStatement([codeId, fingerprint, agent, isOpen]);
  return row?.is_in ?? false;
}

const leaveStatement = statement(
  'access_code_leave',
  `WITH ended AS (DELETE FROM access_code_sessions WHERE code_id = $1 AND fingerprint = $2 RETURNING code_id)
   UPDATE access_codes c SET devices = devices - 1 FROM ended WHERE c.id = ended.code_id`,
);

export async function leaveDevice(codeId: number, fingerprint: string): Promise<void> {
  await leaveStatement([codeId, fingerprint]);
}

export interface DeviceRow {
  id: number;
  fingerprint: string;
  agent: string;
  lastUsedAt: Date;
}

const devicesStatement = statement<DeviceRow>(
  'access_code_devices',
  `SELECT id, fingerprint, agent, last_used_at AS "lastUsedAt" FROM access_code_sessions
   WHERE code_id = $1 ORDER BY last_used_at DESC, id DESC LIMIT $2 OFFSET $3`,
);

export function listDevices(codeId: number, part: { limit: number; offset: number }): Promise<DeviceRow[]> {
  return devicesStatement([codeId, part.limit, part.offset]);
}
