import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type * as Connection from '../../src/adapters/postgres/connection';
import type * as DataKey from '../../src/adapters/dataKey';
import { migrate } from '../../src/adapters/postgres/migrate';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { runScript } from '../support/scripts';

/** The key of all data, and the commands that replace the ENCRYPTION_KEY that encrypts it. */

const folder = mkdtempSync(join(tmpdir(), 'paywall-data-key-'));
const newKey = () => randomBytes(32).toString('base64');
let database: TestDatabase;
const opened: (() => Promise<void>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
  await database.drop();
});

/** The module as in a process of its own, with this ENCRYPTION_KEY. */
function processWith(key: string): typeof DataKey {
  const { ENCRYPTION_KEY, DATABASE_URL } = process.env;
  Object.assign(process.env, { ENCRYPTION_KEY: key, DATABASE_URL: database.url });
  let dataKey: typeof DataKey | undefined;
  jest.isolateModules(() => {
    dataKey = jest.requireActual<typeof DataKey>('../../src/adapters/dataKey');
    opened.push(jest.requireActual<typeof Connection>('../../src/adapters/postgres/connection').closeDatabase);
  });
  Object.assign(process.env, { ENCRYPTION_KEY, DATABASE_URL });
  if (!dataKey) throw new Error('the module was not loaded');
  return dataKey;
}

async function openWith(key: string): Promise<string> {
  const { openDataKey, dataKey } = processWith(key);
  await openDataKey();
  return dataKey().toString('hex');
}

const stored = async () =>
  (await database.pool.query<{ wrapped_key: Buffer }>('SELECT wrapped_key FROM wrapped_data_keys')).rows;

/** The command as an operator runs it. `key` is the ENCRYPTION_KEY of the settings. */
const run = (key: string | undefined, ...input: string[]) =>
  runScript('encryptionKey.js', input, { DATABASE_URL: database.url, ENCRYPTION_KEY: key });

function fileWith(text: string): string {
  const file = join(folder, randomBytes(8).toString('hex'));
  writeFileSync(file, text);
  return file;
}

test('processes that open a new database at the same time agree on one key', async () => {
  const key = newKey();
  const processes = Array.from({ length: 6 }, () => processWith(key));
  await Promise.all(processes.map(({ openDataKey }) => openDataKey()));
  const keys = new Set(processes.map(({ dataKey }) => dataKey().toString('hex')));
  expect(keys.size).toBe(1);
  expect(await stored()).toHaveLength(1);
});

test('the key is random, and is stored encrypted only', async () => {
  const key = newKey();
  const dataKey = await openWith(key);
  expect(await openWith(key)).toBe(dataKey);
  const [row] = await stored();
  expect(row?.wrapped_key.toString('hex')).not.toContain(dataKey);
  await database.pool.query('DELETE FROM wrapped_data_keys');
  expect(await openWith(key)).not.toBe(dataKey);
});

test('before it is open, nothing can be encrypted', () => {
  expect(() => processWith(newKey()).dataKey()).toThrow('the data key is not open yet');
});

test('another ENCRYPTION_KEY is refused at once, also by a process that waits, and changes nothing', async () => {
  await openWith(newKey());
  const before = await stored();
  const { openDataKey, waitForDataKey } = processWith(newKey());
  const refusal = 'ENCRYPTION_KEY: the data of this database was encrypted with another key';
  await expect(openDataKey()).rejects.toThrow(refusal);
  await expect(waitForDataKey()).rejects.toThrow(refusal);
  expect(await stored()).toEqual(before);
});

test('a process that starts before the tables exist waits for them', async () => {
  await database.drop();
  database = await createTestDatabase(undefined, 'template0');
  const { waitForDataKey, dataKey } = processWith(newKey());
  const waiting = waitForDataKey();
  await migrate(database.url);
  await waiting;
  expect(dataKey()).toHaveLength(32);
});

test('a new ENCRYPTION_KEY can come from the standard input, as in a container', async () => {
  const [old, fresh] = [newKey(), newKey()];
  const dataKey = await openWith(old);
  const program = resolve(__dirname, '../../dist/scripts/encryptionKey.js');
  const env = { ...process.env, DATABASE_URL: database.url, ENCRYPTION_KEY: old };
  const { status, stdout } = spawnSync(process.execPath, [program, 'add', '-'], { env, input: `${fresh}\n` });
  expect([status, stdout.toString()]).toEqual([0, expect.stringContaining('accepts both')]);
  expect(await openWith(fresh)).toBe(dataKey);
});

test('an ENCRYPTION_KEY is replaced: both open the data key until the old one is finished', async () => {
  const [old, fresh] = [newKey(), newKey()];
  const dataKey = await openWith(old);
  const file = fileWith(`${fresh}\n`);
  expect(await run(old, 'add', file)).toEqual({ code: 0, said: expect.stringContaining('accepts both') as string });
  expect([await openWith(old), await openWith(fresh)]).toEqual([dataKey, dataKey]);
  expect(await run(old, 'add', file)).toMatchObject({ code: 0 });
  expect(await stored()).toHaveLength(2);
  expect(await run(fresh, 'finish')).toEqual({ code: 0, said: expect.stringContaining('removed: 1.') as string });
  expect(await openWith(fresh)).toBe(dataKey);
  await expect(openWith(old)).rejects.toThrow('ENCRYPTION_KEY: ');
  expect(await run(fresh, 'finish')).toEqual({ code: 0, said: expect.stringContaining('removed: 0.') as string });
});

test.each([
  ['a short key', () => ['add', fileWith(randomBytes(31).toString('base64'))], 'must be 32 bytes in base64'],
  ['an empty file', () => ['add', fileWith('')], 'must be 32 bytes in base64'],
  ['no such file', () => ['add', join(folder, 'absent')], 'no such file'],
  ['no file', () => ['add'], 'npm run encryption-key:add -- <file with the new key>'],
  ['another command', () => ['rotate'], 'npm run encryption-key:finish'],
])('the command refuses %s and changes nothing', async (_case, input, sentence) => {
  const key = newKey();
  await openWith(key);
  const before = await stored();
  expect(await run(key, ...input())).toEqual({ code: 1, said: expect.stringContaining(sentence) as string });
  expect(await stored()).toEqual(before);
});

test('the command refuses a present key that does not open the data, and a missing one', async () => {
  await openWith(newKey());
  const before = await stored();
  for (const input of [['add', fileWith(newKey())], ['finish']]) {
    expect(await run(newKey(), ...input)).toEqual({
      code: 1,
      said: expect.stringContaining('encrypted with another key') as string,
    });
    expect(await run(undefined, ...input)).toEqual({
      code: 1,
      said: expect.stringContaining('Set ENCRYPTION_KEY') as string,
    });
  }
  expect(await stored()).toEqual(before);
});
