import { randomBytes, randomInt } from 'node:crypto';
import { type z } from 'zod';
import { merchantNow } from '../../adapters/clock';
import { violatedConstraint } from '../../adapters/postgres/connection';
import { guess } from '../../adapters/postgres/guesses';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { inParts, shownParts } from '../../kit/csv';
import { AppError } from '../../kit/errors';
import { message, pageRange, type PageQuery } from '../../kit/page';
import { refuseStranger } from '../../restrictions/service';
import { getItemById, getItemRow } from '../service';
import {
  type AccessCodeRow,
  type CodePlace,
  deleteCode,
  findCode,
  findCodePage,
  findCodesAfter,
  findNamedCode,
  findOwnCode,
  insertCode,
  leaveDevice,
  listDevices,
  takeDevice,
} from './model';
import { presentCode, presentDevice } from './presenter';
import { type AccessCodeBody, type CodeSessionPath, type EntryBody, type EntryResponse } from './schemas';

/** Without 0, 1, I, L, O and U: people read codes to each other. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const generatedGroups = 3;
const groupLength = 4;

/** A code of the merchant's choice, or a random one of 59 bits. */
export async function createAccessCode(caller: Caller, itemId: number, input: z.output<typeof AccessCodeBody>) {
  const { merchantId } = caller;
  await getItemRow(merchantId, itemId);
  const expiresAt = input.expires_at ?? null;
  if (expiresAt !== null && expiresAt <= (await merchantNow(merchantId)))
    throw new AppError('invalid_input', { errors: { expires_at: 'The expires_at must be in the future.' } });
  const code = input.code ?? generateCode();
  const deviceLimit = input.device_limit ?? 1;
  const row = { id: randomId(), merchantId, itemId, code, normalized: normalize(code), deviceLimit, expiresAt };
  return presentCode(await refusingTakenCode(() => insertCode(row)));
}

export async function listAccessCodes(caller: Caller, itemId: number, query: z.output<typeof PageQuery>) {
  await getItemRow(caller.merchantId, itemId);
  const { page, limit, offset } = pageRange(query);
  const { rows, total } = await findCodePage(itemId, { limit, offset });
  return { total, page, offset, limit, collection: rows.map(presentCode) };
}

/** All of them in parts, by the same order; the item is the caller's. */
export async function readAccessCodes(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  const read = (limit: number, after: CodePlace | undefined) => findCodesAfter(itemId, limit, after);
  const parts = inParts(read, ({ exactAt: at, id }): CodePlace => ({ at, id }));
  return shownParts(parts, presentCode);
}

/** One of the codes of the caller's item; its merchant need not know it by heart. */
export async function getAccessCode({ merchantId }: Caller, itemId: number, named: string) {
  const id = readCodeId(named);
  const code = id === null ? undefined : await findOwnCode(merchantId, itemId, id);
  if (!code) throw new AppError('access_code_not_found');
  return presentCode(code);
}

/** The devices that use a code of the caller's item. */
export async function listDevicesOfCode(caller: Caller, itemId: number, named: string) {
  const { id, code } = await getAccessCode(caller, itemId, named);
  return (await listDevices(id)).map((device) => presentDevice(device, code));
}

/** Nobody comes in by it from now on, and who came in has to leave: the next entry is refused. */
export async function deleteAccessCode({ merchantId }: Caller, named: string) {
  const id = readCodeId(named);
  if (id === null || !(await deleteCode(merchantId, id))) throw new AppError('access_code_not_found');
  return message('Code successfully deleted');
}

/** The content, for a device that has a place or finds one. What is restricted is so for codes too. */
export async function enterAccessCode(
  input: z.output<typeof EntryBody>,
  request: RequestFacts,
): Promise<z.output<typeof EntryResponse>> {
  const { clientAddress: address, host, userAgent = '' } = request;
  const { item_id: itemId, browser_fingerprint: fingerprint } = input;
  const item = await getItemById(itemId);
  const attempt = { kind: 'access-code', subject: `${itemId} ${address}`, address } as const;
  const code = await guess(attempt, () => findCode(itemId, normalize(input.code)));
  if (!code) throw new AppError('invalid_access_code', { errors: { code: 'The code is invalid.' } });
  await refuseStranger({ merchantId: item.merchantId, host, address }, itemId);
  const device = { fingerprint, agent: userAgent.slice(0, 500) };
  const isIn = await retryingRace(() => takeDevice(code.id, device, item.isActive));
  // Who is in already stays in; nobody else comes to what is not sold any more.
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

export async function listCodeSessions(named: string, request: RequestFacts) {
  const { id, code } = await getNamedCode(named, request);
  const devices = await listDevices(id);
  return devices.map((device) => presentDevice(device, code));
}

export async function deleteCodeSession(path: z.output<typeof CodeSessionPath>, request: RequestFacts) {
  const { id } = await getNamedCode(path.code_id, request);
  await leaveDevice(id, path.fingerprint);
  return message('Successfully deleted session');
}

/**
 * These two are called without a token (wire A.2). An id is random and told only to who entered the code; older clients
 * send the code itself. Either way it is a secret, and guessing is slow.
 */
async function getNamedCode(named: string, { clientAddress: address }: RequestFacts): Promise<AccessCodeRow> {
  const id = readCodeId(named);
  const attempt = { kind: 'access-code', subject: `sessions ${address}`, address } as const;
  const code = await guess(attempt, () => findNamedCode(id, normalize(named)));
  if (!code) throw new AppError('access_code_not_found');
  return code;
}

/** Ids of codes have 16 digits; anything else is a code itself. */
const readCodeId = (named: string) => (/^\d{16}$/.test(named) ? Number(named) : null);

/** What two ways to write a code have in common. */
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

/** 52 random bits below 2^53, which JavaScript and JSON count exactly. */
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

/** The same device twice at one moment: the second finds the place of the first. */
async function retryingRace<T>(take: () => Promise<T>): Promise<T> {
  try {
    return await take();
  } catch (error) {
    if (violatedConstraint(error) !== 'access_code_sessions_device') throw error;
    return take();
  }
}
