import { hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { config } from '../config';
import { openBytesWith, sealWith } from '../kit/sealing';
import { logger } from './logger';
import { type Transaction, transaction } from './postgres/connection';
import { execute, statement } from './postgres/statement';

/**
 * The data key, from which all keys for data are derived. It is random, never changes, and is stored in PostgreSQL encrypted
 * by ENCRYPTION_KEY. So an ENCRYPTION_KEY is replaced without encrypting the data again. While it is replaced, the data
 * key is stored once for each of the two.
 */

interface WrappedKey {
  wrapping_key_id: string;
  wrapped_key: Buffer;
}

const readStatement = statement<WrappedKey>(
  'data_key_read',
  'SELECT wrapping_key_id, wrapped_key FROM wrapped_data_keys',
);

const askAgainMs = 2_000;

class WrongEncryptionKey extends Error {}

let opened: Buffer | undefined;

/** 32 bytes. Without a configured ENCRYPTION_KEY, nothing outlives the process, and its random key is the data key. */
export function dataKey(): Buffer {
  if (!config.ENCRYPTION_KEY_IS_SHARED) return config.ENCRYPTION_KEY;
  if (!opened) throw new Error('the data key is not open yet');
  return opened;
}

/**
 * Reads the data key, or creates it in a new database. Each process calls it before it encrypts anything. Throws if the
 * database belongs to another ENCRYPTION_KEY.
 */
export async function openDataKey(): Promise<void> {
  if (config.ENCRYPTION_KEY_IS_SHARED) opened ??= (await find(config.ENCRYPTION_KEY)) ?? (await create());
}

/** Opens the data key as soon as the database answers and has its tables. */
export async function waitForDataKey(): Promise<void> {
  for (;;) {
    try {
      return await openDataKey();
    } catch (error) {
      if (error instanceof WrongEncryptionKey) throw error;
      logger.warn({ reason: (error as Error).message }, 'the process waits for the data key in the database');
    }
    await sleep(askAgainMs);
  }
}

/** Stores the data key for a new ENCRYPTION_KEY as well. A repeated call changes nothing. */
export async function wrapDataKeyFor(encryptionKey: Buffer): Promise<void> {
  const wrapped = wrap(dataKey(), encryptionKey);
  await transaction((inTransaction) => insert(inTransaction, wrapped));
}

/** Deletes the data key that is encrypted by any other ENCRYPTION_KEY. Returns their number. */
export async function forgetOtherEncryptionKeys(): Promise<number> {
  const own = nameOf(config.ENCRYPTION_KEY);
  const text = 'DELETE FROM wrapped_data_keys WHERE wrapping_key_id <> $1 RETURNING wrapping_key_id';
  const deleted = await transaction((inTransaction) => execute(inTransaction, text, [own]));
  return deleted.length;
}

async function find(encryptionKey: Buffer, inTransaction?: Transaction): Promise<Buffer | undefined> {
  const rows = await readStatement([], inTransaction);
  const own = rows.find(({ wrapping_key_id: name }) => name === nameOf(encryptionKey));
  if (own) return openBytesWith(wrappingKeyOf(encryptionKey), own.wrapped_key);
  if (rows.length > 0)
    throw new WrongEncryptionKey('ENCRYPTION_KEY: the data of this database was encrypted with another key');
  return undefined;
}

/** The lock makes two first processes agree on one key. */
async function create(): Promise<Buffer> {
  return transaction(async (inTransaction) => {
    await execute(inTransaction, 'LOCK TABLE wrapped_data_keys IN EXCLUSIVE MODE');
    const known = await find(config.ENCRYPTION_KEY, inTransaction);
    if (known) return known;
    const created = randomBytes(32);
    await insert(inTransaction, wrap(created, config.ENCRYPTION_KEY));
    return created;
  });
}

function insert(inTransaction: Transaction, { wrapping_key_id: name, wrapped_key: wrapped }: WrappedKey) {
  const text = `INSERT INTO wrapped_data_keys (wrapping_key_id, wrapped_key) VALUES ($1, $2)
    ON CONFLICT (wrapping_key_id) DO NOTHING`;
  return execute(inTransaction, text, [name, wrapped]);
}

const wrap = (key: Buffer, encryptionKey: Buffer): WrappedKey => ({
  wrapping_key_id: nameOf(encryptionKey),
  wrapped_key: sealWith(wrappingKeyOf(encryptionKey), key),
});

const derive = (encryptionKey: Buffer, purpose: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', encryptionKey, '', purpose, bytes));

const wrappingKeyOf = (encryptionKey: Buffer) => derive(encryptionKey, 'data key', 32);

/** Tells two keys apart and reveals nothing about them. In hex. */
const nameOf = (encryptionKey: Buffer) => derive(encryptionKey, 'name of the key', 8).toString('hex');
