import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { transaction, type Transaction, violatedConstraint } from '../adapters/postgres/connection';
import { throttleAttempts } from '../adapters/postgres/throttling';
import { seal, unseal } from '../adapters/sealing';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { inParts, shownParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import {
  cursorRange,
  type CursorQuery,
  exactPlace,
  message,
  nextCursor,
  type PageQuery,
  wholeRange,
} from '../kit/page';
import { unixSeconds } from '../kit/time';
import { refuseStranger } from '../restrictions/restrictions';
import { getItemById, getItemRow } from './items';
import {
  type AccessCodeRow,
  type CodePlace,
  deleteCode,
  findCode,
  findCodePage,
  findCodesAfter,
  findCodesOfMerchant,
  findNamedCode,
  findOwnCode,
  insertCode,
  leaveDevice,
  listDevices,
  takeDevice,
} from './accessCodes.model';
import { presentCode, presentDevice } from './accessCodes.presenter';
import { type AccessCodeBody, type CodeSessionPath, type EntryBody, type EntryResponse } from './accessCodes.schemas';

/** Without 0, 1, I, L, O and U, because people read codes aloud. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const generatedGroups = 3;
const groupLength = 4;

/** Creates the code that the merchant has chosen, or a random code of 59 bits. */
export async function createAccessCode(caller: Caller, itemId: number, input: z.output<typeof AccessCodeBody>) {
  const { merchantId } = caller;
  await getItemRow(merchantId, itemId);
  const expiresAt = input.expires_at ?? null;
  if (expiresAt !== null && expiresAt <= (await merchantNow(merchantId)))
    throw new AppError('invalid_input', { errors: { expires_at: 'The expires_at must be in the future.' } });
  const code = input.code ?? generateCode();
  const deviceLimit = input.device_limit ?? 1;
  const row = { id: randomId(), merchantId, itemId, code, normalized: normalize(code), deviceLimit, expiresAt };
  const insert = async (inTransaction: Transaction) => {
    const created = await insertCode(row, inTransaction);
    await audit(inTransaction, caller, { action: 'access_code.create', object: ['access_code', created.id] });
    return created;
  };
  return presentCode(await refusingTakenCode(() => transaction(insert)));
}

export async function listAccessCodes(caller: Caller, itemId: number, query: z.output<typeof CursorQuery>) {
  await getItemRow(caller.merchantId, itemId);
  const { page, limit, offset, after } = cursorRange(query);
  const { rows, total } = await findCodePage(itemId, { limit, offset, after: exactPlace(after) });
  const next_cursor = nextCursor(rows, { limit }, ({ exactAt: at, id }) => ({ at, id }));
  return { total, page, offset, limit, next_cursor, collection: rows.map(presentCode) };
}

/** All codes of the caller's item, in parts, in the same order. */
export async function readAccessCodes(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  const read = (limit: number, after: CodePlace | undefined) => findCodesAfter(itemId, limit, after);
  const parts = inParts(read, ({ exactAt: at, id }): CodePlace => ({ at, id }));
  return shownParts(parts, presentCode);
}

/** A code of the caller's item, by its id or its text. */
export async function getAccessCode({ merchantId }: Caller, itemId: number, named: string) {
  const id = readCodeId(named);
  const code = id === null ? undefined : await findOwnCode(merchantId, itemId, id);
  if (!code) throw new AppError('access_code_not_found');
  return presentCode(code);
}

/** The largest `device_limit` of a code. */
const devicesMax = 10_000;

/** The devices that use a code of the caller's item. */
export async function listDevicesOfCode(caller: Caller, itemId: number, named: string) {
  const { id, code } = await getAccessCode(caller, itemId, named);
  return (await listDevices(id, { limit: devicesMax, offset: 0 })).map((device) => presentDevice(device, code));
}

/** Ends the code and its sessions: every later entry is refused. */
export async function deleteAccessCode(caller: Caller, named: string) {
  const id = readCodeId(named);
  if (id === null) throw new AppError('access_code_not_found');
  await transaction(async (inTransaction) => {
    if (!(await deleteCode(caller.merchantId, id, inTransaction))) throw new AppError('access_code_not_found');
    await audit(inTransaction, caller, { action: 'access_code.delete', object: ['access_code', id] });
  });
  return message('Code successfully deleted');
}

/** Returns the content to a device that has or gets a slot. Restrictions also apply to codes. */
export async function enterAccessCode(
  input: z.output<typeof EntryBody>,
  request: RequestFacts,
): Promise<z.output<typeof EntryResponse>> {
  const { clientAddress: address, host, refererHost, userAgent = '' } = request;
  const { item_id: itemId, browser_fingerprint: fingerprint } = input;
  const item = await getItemById(itemId);
  const attempt = { kind: 'access-code', subject: `${itemId} ${address}`, address } as const;
  const code = await throttleAttempts(attempt, () => findCode(itemId, normalize(input.code)));
  if (!code) throw new AppError('invalid_access_code', { errors: { code: 'The code is invalid.' } });
  await refuseStranger({ merchantId: item.merchantId, host, refererHost, address }, itemId);
  const device = { fingerprint, agent: userAgent.slice(0, 500) };
  const isIn = await retryingRace(() => takeDevice(code.id, device, item.isActive));
  // A device with a slot keeps it. A new device cannot enter an item that is no longer sold.
  if (!isIn && !item.isActive) throw new AppError('item_not_found');
  if (!isIn) throw new AppError('access_code_in_use', { errors: { code: 'The code is in use on other devices.' } });
  return {
    item_id: itemId,
    content: item.content,
    in_use: true,
    browser_fingerprint: fingerprint,
    code: code.code,
    type: item.itemType,
    code_id: code.id,
  };
}

export async function listCodeSessions(named: string, query: z.output<typeof PageQuery>, request: RequestFacts) {
  const { id, code } = await getNamedCode(named, request);
  const { limit, offset } = wholeRange(query);
  const devices = await listDevices(id, { limit, offset });
  return devices.map((device) => presentDevice(device, code));
}

export async function deleteCodeSession(path: z.output<typeof CodeSessionPath>, request: RequestFacts) {
  const { id } = await getNamedCode(path.code_id, request);
  await leaveDevice(id, path.fingerprint);
  return message('Successfully deleted session');
}

/** Finds the codes of all items that have this text, with their items. Spaces, dashes and case are ignored. */
export function findCodesOfText({ merchantId }: Caller, text: string, limit: number) {
  return findCodesOfMerchant(merchantId, normalize(text), limit);
}

/**
 * Finds a code for a request without a token. The id is random and known only to users of the code. Older clients send
 * the code itself. Both are secrets, so attempts are throttled.
 */
async function getNamedCode(named: string, { clientAddress: address }: RequestFacts): Promise<AccessCodeRow> {
  const id = readCodeId(named);
  const attempt = { kind: 'access-code', subject: `sessions ${address}`, address } as const;
  const code = await throttleAttempts(attempt, () => findNamedCode(id, normalize(named)));
  if (!code) throw new AppError('access_code_not_found');
  return code;
}

/** Reads an id, which has 16 digits. Any other text is a code. */
const readCodeId = (named: string) => (/^\d{16}$/.test(named) ? Number(named) : null);

/** The form in which codes are compared. */
function normalize(code: string): string {
  return code
    .normalize('NFKC')
    .replaceAll(/[\s_-]/g, '')
    .toUpperCase();
}

function generateCode(): string {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: generatedGroups }, group).join('-');
}

/** 52 random bits, so that JavaScript and JSON numbers represent the id exactly. */
function randomId(): number {
  return Number(2n ** 52n + (randomBytes(8).readBigUInt64BE() >> 12n));
}

async function refusingTakenCode<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (violatedConstraint(error) === 'access_codes_code') throw new AppError('access_code_exists');
    throw error;
  }
}

/** If the same device enters twice in parallel, the second request finds the slot of the first. */
async function retryingRace<T>(take: () => Promise<T>): Promise<T> {
  try {
    return await take();
  } catch (error) {
    if (violatedConstraint(error) !== 'access_code_sessions_device') throw error;
    return take();
  }
}

const entryPurpose = 'access code entry';
const entrySeconds = 3600;
const SealedEntry = z.object({ itemId: z.int(), code: z.string(), device: z.string(), endsAt: z.int() });

/**
 * Encrypts an entered code, valid for one hour, for the address of a frame. Addresses appear in logs, and a code is a
 * secret.
 */
export function sealEntry(entry: { itemId: number; code: string; device: string }): string {
  const sealed: z.output<typeof SealedEntry> = { ...entry, endsAt: unixSeconds(new Date()) + entrySeconds };
  return seal(entryPurpose, JSON.stringify(sealed)).toString('base64url');
}

/** The code that was entered for an item. Undefined after one hour. */
export function unsealEntry(text: string, itemId: number): { code: string; device: string } | undefined {
  const opened = unseal(entryPurpose, Buffer.from(text, 'base64url'));
  if (opened === undefined) return undefined;
  const entry = SealedEntry.parse(JSON.parse(opened));
  return entry.itemId === itemId && entry.endsAt > unixSeconds(new Date()) ? entry : undefined;
}
