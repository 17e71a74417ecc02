import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pool } from 'pg';
import { findFreePort } from '../../scripts/embedded/ports';
import { type ChildProgram, startProgram } from './childProcess';
import { createTestDatabase } from './database';
import { keyPair } from './keys';
import { runScript, type ScriptOutcome } from './scripts';
import { until } from './until';

/** Another installation with a database, a task queue and keys of its own. It has the payment account of this file. */
export interface Installation {
  address: string;
  pool: Pool;
  /** The settings of its processes and commands. */
  settings: Record<string, string>;
  run: (...input: string[]) => Promise<ScriptOutcome>;
  stop: () => Promise<void>;
}

/** Only its database and its commands. */
export async function prepareInstallation(
  changes: Record<string, string> = {},
): Promise<Omit<Installation, 'address'>> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const at = (url = '') => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const settings = {
    DATABASE_URL: at(process.env['DATABASE_URL']),
    MIGRATION_DATABASE_URL: at(process.env['TEST_DATABASE_ADMIN_URL']),
    TEMPORAL_TASK_QUEUE: name,
    ENCRYPTION_KEY: Buffer.alloc(32, 2).toString('base64'),
    JWT_KEYS: JSON.stringify([keyPair(name).jwk]),
    PORT: String(await findFreePort()),
    METRICS_PORT: '0',
    ...changes,
  };
  const database = await createTestDatabase(settings.DATABASE_URL);
  const run = (...input: string[]) => runScript('merchants.js', input, settings);
  return { pool: database.pool, settings, run, stop: () => database.drop() };
}

/** Its rows have numbers from a million on, so that they are different from those of this file's installation. */
export async function startInstallation(changes: Record<string, string> = {}): Promise<Installation> {
  const prepared = await prepareInstallation(changes);
  const { settings } = prepared;
  await prepared.run('reserve', '--from', '1000000');
  const children: ChildProgram[] = [];
  for (const program of ['crashingApi', 'crashingWorker']) children.push(await startProgram(program, settings));
  const address = `http://127.0.0.1:${settings['PORT']}`;
  await until(() =>
    fetch(`${address}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const stop = async () => {
    await Promise.all(children.map((child) => child.kill()));
    await prepared.stop();
  };
  return { ...prepared, address, stop };
}

/** Runs the commands in the installation of this file. The owner of its tables may write without triggers. */
export function runHere(...input: string[]): Promise<ScriptOutcome> {
  const owner = new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? '');
  owner.pathname = new URL(process.env['DATABASE_URL'] ?? '').pathname;
  return runScript('merchants.js', input, { MIGRATION_DATABASE_URL: owner.href });
}

export interface TransferFolder {
  /** A path in the folder. */
  at: (name: string) => string;
  keyFile: string;
  remove: () => Promise<void>;
}

/** A folder for the files of a move, with a transfer key. */
export async function createTransferFolder(): Promise<TransferFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-'));
  const at = (name: string) => join(folder, name);
  await writeFile(at('key'), `${Buffer.alloc(32, 5).toString('base64')}\n`);
  return { at, keyFile: at('key'), remove: () => rm(folder, { recursive: true }) };
}

/** As if two minutes had passed since the stop. */
export const forgetStop = ({ pool }: { pool: Pool }) =>
  pool.query(
    `UPDATE merchant_states SET moving_since = moving_since - interval '2 minutes' WHERE moving_since IS NOT NULL`,
  );

/** The merchant is on its way to another installation. Returns what lets it stay. */
export async function beginMove({ pool }: { pool: Pool }, { id }: { id: number }): Promise<() => Promise<unknown>> {
  await pool.query(
    `INSERT INTO merchant_states (merchant_id, suspended_at, suspension_reason, moving_since)
     VALUES ($1, now(), 'It moves.', now())`,
    [id],
  );
  return () => pool.query('DELETE FROM merchant_states WHERE merchant_id = $1', [id]);
}
